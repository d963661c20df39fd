"""What an incident is: a script, the truth that it writes down, and what is expected of a report."""

from __future__ import annotations

import importlib
import pkgutil
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from backend.forensics.diagnosis.run import discover_causes
from workers.tests.lab.recording import Recording, recorded
from workers.tests.lab.star import Star, build_star

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path
    from random import Random

    from workers.tests.lab.programs import CallResult

CONFIDENT = 0.5
EVERYTHING = ("*.pcap", "*.txt")


@dataclass(frozen=True)
class Case:
    """What a report on some of the files must say, and must not."""

    name: str
    inputs: tuple[str, ...]
    top_cause: tuple[str, ...] = ()
    """One of them is the first diagnosis; they are allowed, too."""
    allowed: tuple[str, ...] = ()
    """Other causes that may be said with confidence."""
    min_confidence: float = 0
    findings: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Fewest and most of a kind above severity info."""
    named: tuple[str, ...] = ()
    """Each of them is among the diagnoses."""

    def as_json(self) -> dict[str, Any]:
        """In the words of expect.json."""
        fitting = {*self.top_cause, *self.allowed, *self.named}
        case: dict[str, Any] = {"name": self.name, "inputs": list(self.inputs)}
        case["forbid_causes"] = [cause for cause in all_causes() if cause not in fitting]
        if self.top_cause:
            case["top_cause"] = list(self.top_cause)
            case["min_confidence"] = self.min_confidence
        if self.named:
            case["causes"] = list(self.named)
        if self.findings:
            case["findings"] = {kind: list(bounds) for kind, bounds in self.findings.items()}
        return case


@dataclass
class Lab:
    """One instance while it is made."""

    random: Random
    folder: Path
    truth: dict[str, Any] = field(default_factory=dict)
    recording: Recording = field(default_factory=Recording)
    calls: list[CallResult] = field(default_factory=list)

    def star(
        self,
        pods: int = 2,
        servers: int = 1,
        masquerade: str | None = "--random-fully",
        server_prefix: str = "",
    ) -> Star:
        """The usual network; its addresses go to the truth."""
        star = build_star(self.random, pods, servers, masquerade, server_prefix)
        self.truth |= {
            "pods": star.pod_addresses,
            "node": star.node_address,
            "servers": star.server_addresses,
        }
        self.truth |= {
            "port": star.port,
            "host_names": {h.name: h.prompt for h in (star.node, *star.servers)},
        }
        return star

    @contextmanager
    def recorded(self, star: Star) -> Iterator[None]:
        """Capture and list around a block."""
        with recorded(self.folder, star.points, star.listed) as self.recording:
            yield

    @property
    def delayed(self) -> int:
        """Connections whose SYN was retransmitted, by their own sockets."""
        return sum(call.delayed for call in self.calls)

    def delayed_bounds(self) -> dict[str, tuple[int, int]]:
        """The finding that the sockets' own count asks for."""
        spare = max(1, self.delayed // 20)
        low = max(0, self.delayed - spare) if self.delayed else 0
        return {"syn-retransmission": (low, self.delayed + spare if self.delayed else 0)}


@dataclass(frozen=True)
class Incident:
    """A script that makes one kind of instance."""

    name: str
    cause: str | None
    """What is wrong, in the product's words; None for twins and look-alikes."""
    what: str
    make: Callable[[Lab], list[Case]]
    short: bool = False
    """Whether `make test` runs it."""


_INCIDENTS: dict[str, Incident] = {}


def incident(
    name: str, cause: str | None, what: str, *, short: bool = False
) -> Callable[[Callable[[Lab], list[Case]]], Callable[[Lab], list[Case]]]:
    """Register the script of an incident."""

    def register(make: Callable[[Lab], list[Case]]) -> Callable[[Lab], list[Case]]:
        _INCIDENTS[name] = Incident(name, cause, what, make, short)
        return make

    return register


def all_incidents() -> dict[str, Incident]:
    """Every incident of the folder `incidents`, by name."""
    package = importlib.import_module("workers.tests.lab.incidents")
    for entry in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{entry.name}")
    return dict(sorted(_INCIDENTS.items()))


def all_causes() -> Iterator[str]:
    """The keys of every cause that the product can name, but the one that means that none stands."""
    return (name for name, _ in discover_causes() if name != "unknown")


def each_share(files: Iterable[str], allowed: tuple[str, ...]) -> list[Case]:
    """The captures without listings, and each capture alone: a right cause may be missed there, none may be false."""
    names = tuple(files)
    alone = [Case(f"{name} alone", (name,), allowed=allowed) for name in names]
    return [Case("captures", names, allowed=allowed), *alone]


def nothing_wrong(*names_and_inputs: tuple[str, tuple[str, ...]]) -> list[Case]:
    """The cases of a healthy instance: no cause, no repeated SYN."""
    given = names_and_inputs or (("all", EVERYTHING), ("node", ("node.pcap",)))
    return [Case(name, inputs, findings={"syn-retransmission": (0, 0)}) for name, inputs in given]
