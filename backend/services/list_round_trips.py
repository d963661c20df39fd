"""The round trips of an investigation."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from backend.errors import InvalidRequest, NotFound
from backend.services.open_tables import Tables, open_tables
from backend.services.result_types import EpochNs
from backend.services.scope import WHOLE, Scope
from backend.services.table_rows import of_row
from backend.storage import round_trip_tables
from backend.storage.round_trip_tables import RoundTripFilter, RoundTripSort
from backend.storage.store import Store
from backend.text_classes import AddressText, FileText, FixedText, IdText, VantageText


@dataclass(frozen=True)
class FartherSighting:
    """The same sample at another vantage point."""

    vantage: VantageText | None
    input: FileText
    sent_frame: int
    answer_frame: int | None
    rtt_ms: float
    """From there to the responder and back."""
    there_ms: float | None
    """From the nearest vantage point to there; null where the clocks cannot be compared."""


@dataclass(frozen=True, kw_only=True)
class RoundTrip:
    """A request packet and the packet that answered it, at the vantage point nearest to the requester."""

    sid: int
    sent_ns: EpochNs
    """On the clock of its capture."""
    at_ns: EpochNs
    """On the clock that all times of the report are on."""
    rtt_ms: float
    kind: FixedText
    prober: AddressText
    prober_port: int
    responder: AddressText
    responder_port: int
    input: FileText
    """Frames are numbers of this input."""
    vantage: VantageText | None
    """Null for the output of a tool: its frames are lines."""
    sent_frame: int
    answer_frame: int | None
    finding: FixedText | None
    """Id of the finding whose stall held it."""
    instance: int | None
    """Which of its stalls."""
    printed: bool = False
    """Measured by a tool that probes and printed by it, not seen in packets."""
    elsewhere: tuple[FartherSighting, ...] = ()
    """At vantage points farther from who asked, that nearest to the responder last."""


@dataclass(frozen=True)
class RoundTripList:
    """A page of samples."""

    items: tuple[RoundTrip, ...]
    total: int
    next_cursor: IdText | None


@dataclass(frozen=True, kw_only=True)
class HeldGroup:
    """Samples that one stall held: an instance of a finding. Times are ns after t0."""

    finding: FixedText
    instance: int
    prober: AddressText
    responder: AddressText
    t: int
    """First held question."""
    t_last_sent: int
    t_end: int
    """Last answer."""
    samples: int
    longest_ms: float
    kinds: tuple[FixedText, ...]
    slope: float | None = None
    """By how much a round trip falls per time of sending: -1 when all were given back at one time."""
    answers_within_ms: float | None = None
    flows_stalled: int | None = None
    flows_unaffected: int | None = None
    direction: FixedText = "unknown"


@dataclass(frozen=True)
class HeldGroupList:
    """Stalls by time; the first are listed."""

    items: tuple[HeldGroup, ...]
    total: int


@dataclass(frozen=True)
class HeldKind:
    """Samples of one kind between the two hosts, sent while the group was held."""

    kind: FixedText
    held: int
    sent: int
    flows_held: int
    flows: int
    others_p50_ms: float | None
    """Median round trip of those that were not held."""


@dataclass(frozen=True)
class HeldShare:
    """What one stall held and what it did not."""

    kinds: tuple[HeldKind, ...]
    held: int
    sent: int
    flows_held: int
    flows: int


def list_round_trips(
    store: Store,
    investigation_id: str,
    wanted: RoundTripFilter,
    *,
    sort: RoundTripSort,
    descending: bool,
    limit: int,
    cursor: str | None,
    offset: int | None = None,
    scope: Scope = WHOLE,
) -> RoundTripList:
    """A page of the table; times of the filter are ns after t0. Raises NotFound before there is an analysis."""
    if cursor is not None and not cursor.isdigit():
        raise InvalidRequest("The cursor is not one that a page gave.")
    offset = int(cursor or 0) if offset is None else offset
    with open_round_trips(store, investigation_id, scope) as (tables, t0_ns):
        from_ns, to_ns = tables.absolute(wanted.from_ns, wanted.to_ns, t0_ns)
        absolute = replace(wanted, from_ns=from_ns, to_ns=to_ns)
        total = round_trip_tables.count_round_trips(tables.query, tables.round_trips, absolute)
        items = round_trip_tables.list_round_trips(
            tables.query, tables.round_trips, absolute, sort=sort, descending=descending, page=(offset, limit)
        )
        _add_farther(tables, items)
    following = offset + len(items)
    page = tuple(of_row(RoundTrip, item) for item in items)
    return RoundTripList(page, total, str(following) if following < total else None)


GROUPS_MOST = 2_000


def list_held_groups(store: Store, investigation_id: str) -> HeldGroupList:
    """The first stalls by time. Raises NotFound before there is an analysis."""
    with open_round_trips(store, investigation_id) as (tables, t0_ns):
        rows = round_trip_tables.held_groups(tables.query, tables.round_trips)
        events = {
            (finding.id, event.get("instance")): event
            for finding in tables.report.findings
            for event in finding.events
        }
    groups = [
        _held_group(row, events.get((row["finding"], row["instance"]), {}), t0_ns)
        for row in rows[:GROUPS_MOST]
    ]
    return HeldGroupList(tuple(groups), len(rows))


def _held_group(row: dict[str, Any], event: dict[str, Any], t0_ns: int) -> HeldGroup:
    times = {"t": row["from_ns"], "t_last_sent": row["last_sent_ns"], "t_end": row["to_ns"]}
    return of_row(HeldGroup, {**event, **row, **{name: time - t0_ns for name, time in times.items()}})


def show_held_group(store: Store, investigation_id: str, finding: str, instance: int) -> HeldShare:
    """What one stall held and what it did not, by kind; raises NotFound when it held nothing."""
    with open_round_trips(store, investigation_id) as (tables, _):
        rows = round_trip_tables.held_by_kind(tables.query, tables.round_trips, finding, instance)
    if not rows:
        raise NotFound("No round trip was held by a stall of that number.")
    kinds = tuple(of_row(HeldKind, row) for row in rows)
    return HeldShare(
        kinds,
        held=sum(kind.held for kind in kinds),
        sent=sum(kind.sent for kind in kinds),
        flows_held=sum(kind.flows_held for kind in kinds),
        flows=sum(kind.flows for kind in kinds),
    )


@contextmanager
def open_round_trips(
    store: Store, investigation_id: str, scope: Scope = WHOLE
) -> Iterator[tuple[Tables, int]]:
    """(the tables, the time in ns since 1970 that charts count from). A listing alone has no packets to count from: its
    first probe is taken. Raises NotFound before there is an analysis."""
    with open_tables(store, investigation_id, scope) as tables:
        if not Path(tables.round_trips).is_file():
            raise NotFound("This investigation was analyzed before round trips were read; analyze it again.")
        if tables.captures:
            yield tables, tables.t0_ns
        else:
            yield tables, round_trip_tables.first_sent_ns(tables.query, tables.round_trips)


def _add_farther(tables: Tables, items: list[dict[str, Any]]) -> None:
    sids = [item["sid"] for item in items]
    elsewhere: dict[int, list[dict[str, Any]]] = {sid: [] for sid in sids}
    for seen in round_trip_tables.farther_sightings(tables.query, tables.round_trips, sids):
        elsewhere[seen.pop("probe")].append(seen)
    for item in items:
        item["elsewhere"] = elsewhere[item["sid"]]
