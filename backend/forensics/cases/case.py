"""A case: what a detector says of one bad pattern. A finding of the report is its picture, for people."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, Final, cast

from backend.forensics.addresses import address_halves
from backend.forensics.evidence.attempts.delays import Frame
from backend.forensics.evidence.attempts.retried import Endpoint
from backend.forensics.findings import frame_evidence
from backend.forensics.report import EvidencePart, Severity

End = Endpoint | str
"""One end of a flow: an address with its port, or the text of an address without one; words where none is known."""


def host_of(end: End) -> str:
    """The address without brackets; the words where there is none."""
    return end.address if isinstance(end, Endpoint) else end.removeprefix("[").removesuffix("]")


def endpoint_of(end: End) -> Endpoint | None:
    """With port 0 where none is known; None where there is no address."""
    if isinstance(end, Endpoint):
        return end
    try:
        return Endpoint(*address_halves(host_of(end)), 0)
    except ValueError:
        return None


def end_of(text: str) -> End:
    """Of ``192.0.2.1:80``, ``[2001:db8::1]:80``, a bare address or words."""
    if not text.startswith("[") and text.count(":") != 1:
        return text
    try:
        return Endpoint.of(text)
    except ValueError:
        return text


APART: Final = {"apart": True}
"""Metadata of a field that causes read and the report does not show."""


@dataclass(frozen=True, slots=True)
class Flow:
    """Whom a case is about."""

    protocol: str
    source: End | None
    destination: End | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """One time at which it happened. Times are on the reference clock, in nanoseconds of UTC. The fields that a class
    adds to these are what the report's event says beside its span."""

    start_ns: int
    end_ns: int
    lane: str
    """Id of the vantage point at which it is drawn."""
    packets: tuple[Frame, ...] = ()
    """Its packets, by input and frame."""

    @property
    def seconds(self) -> float:
        """How long it took."""
        return (self.end_ns - self.start_ns) / 1e9


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What every finding says. The fields of a class made of this one are the measures of its finding, by their
    names and in their order."""

    id: str = ""
    """``<kind>-<n>``, from 1 in each kind; given to all cases of a detector together."""
    kind: str
    severity: Severity
    confidence: float
    summary: str
    """One or two sentences for people; nothing is read from it."""
    count: int
    first_ns: int | None = None
    last_ns: int | None = None
    time_lost_s: float = 0.0
    """Seconds that users waited for it and that no other case counts."""
    flows: tuple[Flow, ...] = ()
    instances: tuple[Instance, ...] = ()
    evidence: tuple[EvidencePart, ...]

    @property
    def is_harmful(self) -> bool:
        """More than true and harmless."""
        return self.severity != "info"

    @property
    def target(self) -> str:
        """Whom it is about, in text: ``192.0.2.10:443``, an address, words; "" where nobody is named."""
        return str(self.flows[0].destination) if self.flows and self.flows[0].destination is not None else ""

    @property
    def server(self) -> Endpoint:
        """Whom it is about; a ValueError where that is no address with a port."""
        end = self.flows[0].destination if self.flows else None
        if not isinstance(end, Endpoint):
            raise ValueError(f"{self.id} names no server")
        return end


def packets_of(instances: Sequence[Instance], note: str = "") -> tuple[EvidencePart, ...]:
    """The packets of all of them, as evidence."""
    return tuple(frame_evidence([frame for one in instances for frame in one.packets], note))


def own_fields(value: Case | Instance) -> Iterator[tuple[str, Any]]:
    """(name, value) of the fields that its class adds to `Case` or `Instance`, but for those kept `APART`."""
    # To mypy, a class of data is not hashable.
    names = _own_names(cast(Hashable, type(value)))
    return ((name, getattr(value, name)) for name in names)


@cache
def _own_names(kind: type[Any]) -> tuple[str, ...]:
    shared = {each.name for each in fields(Case if issubclass(kind, Case) else Instance)}
    own = (each for each in fields(kind) if each.name not in shared and "apart" not in each.metadata)
    return tuple(each.name for each in own)
