"""An instance's evidence, read once, and reports on any share of it, made in this process."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from backend.errors import StallscopeError
from workers.pipeline import analyse, ingest_file
from workers.tests.lab.incident import CONFIDENT, all_causes

if TYPE_CHECKING:
    from pathlib import Path

    from backend.forensics.report import DiagnosisPart, Report
    from workers.ingested import Ingested

KEPT_FILES = 200
"""Read files that are kept: those of a few instances, not of all."""
ALLOWED_AT_MOST = 5
"""A list of forbidden causes that leaves more than these is one of a few by name: it says nothing of the others."""
ALSO_TRUE = {
    "dns-5s-mute": ("resolver-unresponsive",),
    "dns-5s-search-s2": ("search-list-expansion",),
    "dns-5s-slow": ("slow-resolver",),
    # Its pod was deleted while IPVS still chose it; the emulated machine stood still for up to 150 ms.
    "ipvs-graceful-kernel61-reuse0-nodest0": (
        "endpoint-gone",
        "ipvs-stale-destination",
        "ipvs-drain-blocked",
        "receive-queue-stall",
    ),
    "more-csum-offload": ("receiver-drop", "inner-checksum-drop"),
    "more-ecmp-dead": ("dead-path",),
    "more-keepalive-race": ("keepalive-race",),
    # IPReversePathFilter of the node rose by 127.
    "more-rp-filter": ("reverse-path-filter",),
    "rx-backlog-bloat": ("queue-buildup",),
    "rx-backlog-reply": ("receive-queue-stall",),
    # Two SYNs are absent behind the SNAT, and insert_failed rose by two.
    "snat-race-portreuse": ("snat-port-race",),
}
"""By recorded instance: causes that are true of it (see its truth.json) and that its expectations do not list, either
because the product learned them later or because they list only what is forbidden."""
ANY_CAUSE = "unknown"
"""Says that no cause was found: never a wrong one."""


def read(path: Path) -> Ingested | None:
    """The file, decoded or parsed; None for what is no evidence."""
    return _read(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=KEPT_FILES)
def _read(path: Path, written_ns: int) -> Ingested | None:
    """`written_ns` tells a file from what stood there before."""
    try:
        return ingest_file(path, name=path.name, folder=None, keep_packets=False)
    except StallscopeError:
        return None


def forget() -> None:
    """Keep no file that was read."""
    _read.cache_clear()


def report_on(paths: Iterable[Path]) -> Report | None:
    """What `analyze` says about these files; None when none of them is evidence."""
    files = [each for path in paths if (each := read(path)) is not None]
    if not files:
        return None
    return analyse(files, label="", created="2026-01-01T00:00:00Z", tool_version="0", folder=None)


@dataclass(frozen=True)
class Instance:
    """A folder that the lab made."""

    folder: Path

    @cached_property
    def truth(self) -> dict[str, Any]:
        """As the lab measured it apart from the captures."""
        found: dict[str, Any] = json.loads((self.folder / "truth.json").read_text())
        return found

    @cached_property
    def cases(self) -> list[dict[str, Any]]:
        """Of expect.json."""
        found: list[dict[str, Any]] = json.loads((self.folder / "expect.json").read_text())["cases"]
        return found

    @cached_property
    def right(self) -> frozenset[str]:
        """Causes that are true of it."""
        named: set[str] = {
            c for case in self.cases for c in (*case.get("top_cause", ()), *case.get("causes", ()))
        }
        for case in self.cases:
            named |= self._allowed(case.get("forbid_causes", ()))
        named |= {self.truth["cause"]} if self.truth.get("cause") else set()
        named |= frozenset(ALSO_TRUE.get(self.folder.name, ()))
        return frozenset(named) - {ANY_CAUSE}

    @staticmethod
    def _allowed(forbidden: Sequence[str]) -> set[str]:
        """Of a case that forbids all but a few by name, these few."""
        everything = set(all_causes())
        if forbidden == "all" or len(forbidden) < len(everything) - ALLOWED_AT_MOST:
            return set()
        return everything - set(forbidden)

    def files(self, case: dict[str, Any]) -> tuple[Path, ...]:
        """The evidence of a case."""
        return tuple(sorted({path for pattern in case["inputs"] for path in self.folder.glob(pattern)}))


def instances_below(root: Path) -> list[Instance]:
    """Every folder with a truth and expectations."""
    return [
        Instance(path.parent)
        for path in sorted(root.glob("**/expect.json"))
        if (path.parent / "truth.json").is_file()
    ]


def named(report: Report | None) -> list[DiagnosisPart]:
    """Causes that a reader would act on."""
    return [d for d in (report.diagnoses if report else ()) if d.confidence >= CONFIDENT]


def sureness(report: Report | None) -> dict[str, float]:
    """By cause, the highest confidence."""
    found: dict[str, float] = {}
    for each in report.diagnoses if report else ():
        found[each.cause] = max(found.get(each.cause, 0.0), each.confidence)
    return found


def without_each(paths: Sequence[Path]) -> Iterable[tuple[Path, tuple[Path, ...]]]:
    """Each file, and the others."""
    for path in paths:
        yield path, tuple(other for other in paths if other != path)
