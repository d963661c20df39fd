"""Finds everything in an investigation that names somebody's machines, files, services or requests."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from pathlib import Path, PurePosixPath

from backend.errors import NotFound
from backend.forensics.report import Report
from backend.services.open_tables import Tables, open_tables
from backend.services.read_progress import read_progress
from backend.services.read_report import report_path
from backend.services.redaction.names import INTERFACE, KEPT_ADDRESSES, Hiding, Names
from backend.storage import private_texts
from backend.storage.records import EvidenceFile
from backend.storage.store import Store

LABEL = "Investigation"


def read_names(store: Store, investigation_id: str, hiding: Hiding) -> Names:
    """Other names for what is hidden; the same for every link to the same analysis."""
    progress = read_progress(store, investigation_id)
    try:
        report_file: Path | None = report_path(store, investigation_id)
    except NotFound:
        report_file = None
    analysed_ns = report_file.stat().st_mtime_ns if report_file else 0
    about = (progress.files, progress.investigation.label)
    return _names(store, investigation_id, analysed_ns, about, hiding)


@lru_cache(maxsize=16)
def _names(
    store: Store,
    investigation_id: str,
    analysed_ns: int,
    about: tuple[tuple[EvidenceFile, ...], str],
    hiding: Hiding,
) -> Names:
    told: dict[str, str] = {}
    phrases: list[str] = []
    if hiding.addresses:
        files, label = about
        phrases += [label] if len(label) > 2 else []
        _name_all(told, phrases, lambda _: LABEL)
        _name_files(told, phrases, files)
    if analysed_ns:
        with open_tables(store, investigation_id) as tables:
            if hiding.addresses:
                _name_vantage_points(told, phrases, tables.report)
                _name_addresses(told, tables)
            if hiding.payload:
                _name_messages(told, phrases, tables)
    return Names(told, phrases, f"{investigation_id}:{analysed_ns}".encode(), hiding)


def _name_files(told: dict[str, str], phrases: list[str], files: Iterable[EvidenceFile]) -> None:
    counts = {"capture": 0, "dump": 0, "file": 0}
    for file in files:
        sort = file.kind if file.kind in counts else "file"
        counts[sort] += 1
        shown = f"{sort}-{counts[sort]}"
        told.setdefault(file.name, shown)
        told.setdefault(PurePosixPath(file.name).name, shown)
        phrases += [file.name, PurePosixPath(file.name).name]
        if file.host:
            told.setdefault(file.host, f"machine-{len(phrases)}")
            phrases.append(file.host)


def _name_vantage_points(told: dict[str, str], phrases: list[str], report: Report) -> None:
    names = [point.name for part in report.inputs for point in part.vantage_points or ()]
    names += [lane.name for lane in report.lanes if lane.role != "pod"]
    for name in names:
        if name and not INTERFACE.fullmatch(name) and name not in ("NAT",):
            told.setdefault(name, f"point-{sum(shown.startswith('point-') for shown in told.values()) + 1}")
            phrases.append(name)


def _name_addresses(told: dict[str, str], tables: Tables) -> None:
    """Those of the verdict by their part in it, the others by number."""
    report = tables.report
    affected = [each for finding in report.findings for each in finding.affected]
    pods = [lane.name for lane in report.lanes if lane.role == "pod"]
    _name_all(told, map(_host, pods), lambda n: f"pod-{n}")
    servers = [each.destination for each in report.destinations] + [
        each.get("destination", "") for each in affected
    ]
    _name_all(told, map(_host, servers), lambda n: f"server-{n}")
    _name_all(told, (_host(each.get("source", "")) for each in affected), lambda n: f"client-{n}")
    _name_all(told, private_texts.addresses_of(tables.query, tables.paths), lambda n: f"host-{n}")


def _name_messages(told: dict[str, str], phrases: list[str], tables: Tables) -> None:
    folders = [capture.folder for capture in tables.captures]
    hosts = [_host(text) for text in private_texts.request_texts(tables.query, tables.requests, "host")]
    lookups = private_texts.lookup_names(tables.query, folders)
    # An address has no domain above it: the end of one may read like any number.
    named = [name for name in (*hosts, *lookups) if not _is_address(name)]
    _name_all(told, _with_parents(named), lambda n: f"name-{n}")
    paths = private_texts.request_texts(tables.query, tables.requests, "path")
    both = (text for path in paths for text in (path, path.partition("?")[0]))
    _name_all(told, (path for path in both if path != "/"), lambda n: f"/path-{n}")
    agents = private_texts.request_texts(tables.query, tables.requests, "user_agent")
    agents = [agent for agent in agents if "/" in agent]
    _name_all(told, agents, lambda n: f"agent-{n}")
    phrases += agents[:1000]


def _with_parents(names: Iterable[str]) -> Iterator[str]:
    """Each name, and the domains above it down to two labels."""
    for name in names:
        labels = name.rstrip(".").lower().split(".")
        for first in range(max(1, len(labels) - 1)):
            yield ".".join(labels[first:])


def _host(endpoint: str) -> str:
    """``10.0.0.1`` of ``10.0.0.1:80``, ``fd00::1`` of ``[fd00::1]:80``."""
    if endpoint.startswith("["):
        return endpoint[1:].partition("]")[0]
    host, colon, _ = endpoint.rpartition(":")
    return host if colon and ":" not in host else endpoint


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _name_all(told: dict[str, str], texts: Iterable[str], shown: Callable[[int], str]) -> None:
    number = 0
    for text in texts:
        if text and text not in told and text not in KEPT_ADDRESSES:
            number += 1
            told[text] = shown(number)
