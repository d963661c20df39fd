"""Finds everything in an investigation that names somebody's machines, files, services or requests."""

from __future__ import annotations

import ipaddress
import json
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path, PurePosixPath

from backend.errors import NotFound
from backend.forensics.dumps import AddressName
from backend.forensics.private_words import Part, read_parts
from backend.forensics.report import NamePart, Report
from backend.services.open_tables import Tables, open_tables
from backend.services.read_dumps import read_dumps
from backend.services.read_progress import read_progress
from backend.services.read_report import report_path
from backend.services.redaction.names import KEPT_ADDRESSES, Hiding, Names
from backend.services.redaction.open_words import INTERFACE
from backend.services.redaction.pseudonyms import PrivateText
from backend.storage import private_texts
from backend.storage.records import EvidenceFile
from backend.storage.store import Store
from backend.storage.write_tables import TYPED_TEXTS

LABEL = "Investigation."
"""Shown as it is, without the full stop."""


def read_names(store: Store, investigation_id: str, hiding: Hiding, key: bytes) -> Names:
    """What a link with that key shows for what is hidden."""
    progress = read_progress(store, investigation_id)
    try:
        report_file: Path | None = report_path(store, investigation_id)
    except NotFound:
        report_file = None
    analysed_ns = report_file.stat().st_mtime_ns if report_file else 0
    about = (progress.files, progress.investigation.label)
    return _names(store, investigation_id, analysed_ns, about, hiding, key)


@lru_cache(maxsize=16)
def _names(
    store: Store,
    investigation_id: str,
    analysed_ns: int,
    about: tuple[tuple[EvidenceFile, ...], str],
    hiding: Hiding,
    key: bytes,
) -> Names:
    texts, composed = _private(store, investigation_id, analysed_ns, about)
    return Names(texts, key, hiding, composed)


@lru_cache(maxsize=16)
def _private(
    store: Store, investigation_id: str, analysed_ns: int, about: tuple[tuple[EvidenceFile, ...], str]
) -> tuple[tuple[PrivateText, ...], Mapping[str, tuple[Part, ...]]]:
    """Of one analysis: every private text, and the parts of the texts that were composed with some."""
    files, label = about
    texts = [PrivateText(label, LABEL)] if label.strip() else []
    texts += _of_files(files)
    if not analysed_ns:
        return tuple(texts), {}
    with open_tables(store, investigation_id) as tables:
        texts += [*_of_vantage_points(tables.report), *_of_machines(tables.report)]
        listed = (each for kept in read_dumps(store, investigation_id) for each in kept.dump.address_names)
        texts += _of_names([*tables.report.names, *listed])
        texts += [*_of_addresses(tables), *_of_messages(tables)]
        parts = tables.report_file.with_name(TYPED_TEXTS)
        composed = read_parts(json.loads(parts.read_bytes())) if parts.is_file() else {}
    return tuple(dict.fromkeys(each for each in texts if _is_private(each.text))), composed


def _is_private(text: str) -> bool:
    return bool(text.strip()) and text not in KEPT_ADDRESSES


def _of_files(files: Iterable[EvidenceFile]) -> Iterator[PrivateText]:
    for file in files:
        sort = file.kind if file.kind in ("capture", "dump") else "file"
        yield PrivateText(file.name, sort)
        yield PrivateText(PurePosixPath(file.name).name, sort)
        yield from (
            PrivateText(str(each), "folder") for each in PurePosixPath(file.name).parents if str(each) != "."
        )
        if file.host:
            yield PrivateText(file.host, "machine")


def _of_vantage_points(report: Report) -> Iterator[PrivateText]:
    names = [point.name for part in report.inputs for point in part.vantage_points or ()]
    names += [lane.name for lane in report.lanes if lane.role != "pod"]
    for name in names:
        if not INTERFACE.fullmatch(name) and name not in ("NAT",):
            yield PrivateText(name, "point")


def _of_machines(report: Report) -> Iterator[PrivateText]:
    hosts = [part.host for part in report.inputs] + [each.host for each in report.counters]
    yield from (PrivateText(host, "machine") for host in hosts if host)
    subjects = (each.subject for each in report.counters)
    yield from (PrivateText(each, "point") for each in subjects if each and not INTERFACE.fullmatch(each))
    names = [part.name for part in report.inputs] + [part.name for part in report.not_used]
    yield from (PrivateText(name, "file") for name in names)


def _of_names(names: Iterable[NamePart | AddressName]) -> Iterator[PrivateText]:
    """Whole, and the pod or service without its namespace. DNS names are found among the messages."""
    for each in names:
        if each.sort != "dns":
            yield PrivateText(each.name, each.sort)
            yield PrivateText(each.name.rpartition("/")[2], each.sort)


def _of_addresses(tables: Tables) -> Iterator[PrivateText]:
    """Those of the verdict by their part in it."""
    report = tables.report
    affected = [each for finding in report.findings for each in finding.affected]
    pods = [lane.name for lane in report.lanes if lane.role == "pod"]
    servers = [each.destination for each in report.destinations]
    servers += [each.get("destination", "") for each in affected]
    sorts = {
        "pod": pods,
        "server": servers,
        "client": [each.get("source", "") for each in affected],
        "host": private_texts.addresses_of(tables.query, tables.paths),
    }
    for sort, ends in sorts.items():
        yield from (PrivateText(end, sort) for end in map(_host, ends) if _is_address(end))


def _of_messages(tables: Tables) -> Iterator[PrivateText]:
    def texts(column: str) -> list[str]:
        return private_texts.request_texts(tables.query, tables.requests, column)

    folders = [capture.folder for capture in tables.captures]
    named = [_host(text) for text in texts("host")] + private_texts.lookup_names(tables.query, folders)
    for name in named:
        # An address has no domain above it: the end of one may read like any number.
        if not _is_address(name):
            yield PrivateText(name, "name", is_message=True)
            yield from (PrivateText(each, "name", is_message=True) for each in _with_parents(name))
    for path in texts("path"):
        both = (path, path.partition("?")[0])
        yield from (PrivateText(each, "/path", is_message=True) for each in both if each != "/")
    yield from (PrivateText(agent, "agent", is_message=True) for agent in texts("user_agent"))


def _with_parents(name: str) -> Iterator[str]:
    """The name, and the domains above it down to two labels."""
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
