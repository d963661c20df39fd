"""The rows of the timeline, in the order of the path: vantage points, the NAT between them, what nobody
captured."""

from __future__ import annotations

import numpy as np

from backend.forensics.addresses import address_text
from backend.forensics.dumps.conntrack import NOT_SHOWN
from backend.forensics.evidence.clocks.sightings import Place
from backend.forensics.evidence.clocks.sorted_rows import distinct, taken
from backend.forensics.evidence.facts import Facts
from backend.forensics.findings import counter_lane, drawn_series, rfc3339
from backend.forensics.report import LanePart

SOURCES_LISTED = 8


def list_lanes(facts: Facts) -> list[LanePart]:
    """Lanes by path rank; `nat` where two vantage points enclose a translation; conntrack events at the
    end."""
    attempts = facts.attempts
    ranked = sorted(attempts.places, key=lambda p: (attempts.order.rank[p.number], p.name, p.number))
    before_nat, behind_nat = sides_of_nat(facts)
    roles = _roles(facts, before_nat)
    lanes = [
        lane for source in uncaptured_sources(facts)[:SOURCES_LISTED] for lane in [_uncaptured(facts, source)]
    ]
    inner = [p for p in ranked if p.number not in behind_nat]
    lanes = [_place_lane(facts, p, "pod") for p in inner if roles[p.number] == "pod"] + lanes
    lanes += [_place_lane(facts, p, roles[p.number]) for p in inner if roles[p.number] != "pod"]
    if behind_nat:
        note = "inferred: addresses or ports change between the vantage points around it"
        lanes.append(LanePart(id="nat", name="NAT", role="nat", captured=True, note=note))
    lanes += [_place_lane(facts, p, "uplink") for p in ranked if p.number in behind_nat]
    return lanes + _event_lanes(facts) + _counter_lanes(facts)


def sides_of_nat(facts: Facts) -> tuple[frozenset[int], frozenset[int]]:
    """(place numbers that see client addresses, those that see translated ones). A place with both is on
    neither."""
    sightings, table = facts.attempts.sightings, facts.attempts.table
    syns = np.flatnonzero(sightings.transmission >= 0)
    if not len(table):
        return frozenset(), frozenset()
    row_of = np.full(int(sightings.link_of_node.max()) + 1, -1, np.int64)
    row_of[table["link"]] = np.arange(len(table))
    of = row_of[sightings.link[syns]]
    rows, place = sightings.rows, sightings.place[syns]
    changed = np.zeros(len(of), np.bool_)
    for packet, attempt in (("source", "client"), ("destination", "server")):
        for part in ("low", "port"):
            changed |= taken(rows[f"{packet}_{part}"], syns) != taken(table[f"{attempt}_{part}"], of)
    original, translated = set(distinct(place[~changed]).tolist()), set(distinct(place[changed]).tolist())
    # A SYN whose earlier sighting was not captured counts as original behind NAT, too: the majority decides.
    counts = np.bincount(place[changed], minlength=len(facts.attempts.places))
    total = np.bincount(place, minlength=len(facts.attempts.places))
    behind = {p for p in translated if counts[p] * 2 > total[p]}
    return frozenset(original - behind), frozenset(behind)


def _roles(facts: Facts, before_nat: frozenset[int]) -> list[str]:
    """Of each place, by traffic: one client address is a pod's own interface, several are a bridge."""
    sightings, total = facts.attempts.sightings, len(facts.attempts.places)
    if not len(facts.attempts.table):
        return ["unknown"] * total
    syns = np.flatnonzero(sightings.transmission >= 0)
    place, source = sightings.place[syns], taken(sightings.rows["source_low"], syns)
    one_of = np.zeros(total, np.uint64)
    one_of[place] = source
    syns_at = np.bincount(place, minlength=total).tolist()
    others_at = np.bincount(place[source != one_of[place]], minlength=total).tolist()
    seen = zip(syns_at, others_at, strict=True)
    return [_role(some, others, number in before_nat, total) for number, (some, others) in enumerate(seen)]


def _role(syns: int, of_other_sources: int, is_before_nat: bool, places: int) -> str:
    if not syns:
        return "unknown"
    if not of_other_sources:
        return "pod" if is_before_nat and places > 1 else "host"
    return "bridge" if places > 1 else "host"


def _place_lane(facts: Facts, place: Place, role: str) -> LanePart:
    """The span is the file's: an interface that was silent at first was recorded all the same."""
    capture, point = facts.captures[place.capture], place.point
    return LanePart(
        id=place.id,
        name=place.name,
        role=role,  # type: ignore[arg-type]
        captured=True,
        packets=point.packets,
        first=rfc3339(facts.clocks.at_reference(place.capture, capture.first_ns)) if point.packets else None,
        last=rfc3339(facts.clocks.at_reference(place.capture, capture.last_ns)) if point.packets else None,
        parts=list(point.parts),
    )


def uncaptured_sources(facts: Facts) -> list[str]:
    """Client addresses first seen on a shared vantage point although other clients were captured on their
    own."""
    table = facts.attempts.table
    if len(facts.attempts.places) < 2:
        return []
    first_at: dict[int, set[tuple[int, int]]] = {}
    for row in np.unique(table[["place", "client_high", "client_low"]]).tolist():
        first_at.setdefault(row[0], set()).add((row[1], row[2]))
    own = {next(iter(sources)) for sources in first_at.values() if len(sources) == 1}
    shared = [number for number, sources in first_at.items() if len(sources) > 1]
    inner_exists = any(facts.attempts.order.rank[number] > 0 for number in shared)
    if not inner_exists:
        return []
    rest = {s for number in shared if facts.attempts.order.rank[number] > 0 for s in first_at[number]} - own
    return sorted(address_text(high, low) for high, low in rest)


def _uncaptured(facts: Facts, source: str) -> LanePart:
    return LanePart(
        id=f"uncaptured:{source}",
        name=source,
        role="pod",
        captured=False,
        note="no vantage point: nothing was captured here",
    )


def _event_lanes(facts: Facts) -> list[LanePart]:
    lanes = []
    for each in facts.kernel.dumps:
        rows = each.dump.entries.rows
        times = rows["time_ns"][(rows["event"] != 0) & (rows["time_ns"] != NOT_SHOWN)]
        if len(times):
            lanes.append(
                LanePart(
                    id=f"kernel:{each.input}",
                    name="conntrack events",
                    role="kernel",
                    captured=True,
                    packets=len(times),
                    first=rfc3339(int(times.min())),
                    last=rfc3339(int(times.max())),
                    note=each.input,
                )
            )
    return lanes


def _counter_lanes(facts: Facts) -> list[LanePart]:
    """A lane for each kind of counters that rose between dumps with times."""
    times: dict[str, list[int]] = {}
    for series in drawn_series(facts.kernel.series):
        for step in series.steps:
            if step.rise and step.before.time_ns is not None and step.after.time_ns is not None:
                times.setdefault(counter_lane(series), []).extend((step.before.time_ns, step.after.time_ns))
    return [
        LanePart(
            id=lane,
            name=f"{lane.removeprefix('kernel:')} counters",
            role="kernel",
            captured=True,
            first=rfc3339(min(of_lane)),
            last=rfc3339(max(of_lane)),
            note="a counter rose between two dumps, at an unknown time",
        )
        for lane, of_lane in sorted(times.items())
    ]
