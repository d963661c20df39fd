"""Drops that a tracer of the kernel or of Cilium saw, by what their reason means: a hypothesis for each host."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from backend.forensics.diagnosis.contract import Hypothesis, Weighed
from backend.forensics.diagnosis.listed_causes import ListedCause, from_listings, on_host
from backend.forensics.dumps import DropEvent
from backend.forensics.evidence.absence.destination import Destination
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.kernel.kernel_signs import Line
from backend.forensics.findings import line_evidence, plural
from backend.forensics.private_words import of_line, of_object
from backend.forensics.report import MissingPart
from backend.forensics.wording import were

LINES_MOST = 50
ATTEMPTS_MOST = 1_000
"""Of one destination that are held against the traced drops."""
NEAR_NS = 5_000_000_000
"""Clocks of two hosts differ, and some tracers print whole seconds."""
DATED_FROM_NS = 86_400_000_000_000 * 365
"""Times of packets printed without a date are those of 1970-01-01."""
_Tuple = tuple[str, int, str, int]
SEVERAL = 2
"""Drops of one reason: one packet may be any."""


def traced_hypotheses(
    facts: Facts, cause: ListedCause, fits: Callable[[DropEvent], bool], command: str
) -> Iterator[Hypothesis]:
    """One per host whose tracer saw drops that fit. Beside captures that were recorded they name packets of
    connections, which are joined elsewhere: none here."""
    if facts.has_packets:
        return
    for host in facts.listed_hosts.hosts:
        found = [
            (event, (each.input, event.line))
            for each in host.dumps
            for event in each.dump.drops
            if event.dropped and fits(event)
        ]
        if found:
            weighed = _traced(found)
            statement = f"{_named(found)} dropped{on_host(host)} for {_reasons(found)}."
            missing = (MissingPart(what="Which rule, policy or table it was", command=command),)
            yield from_listings(cause, statement, [weighed], missing=missing)


def traced_syns(facts: Facts, d: Destination) -> list[tuple[DropEvent, Line]]:
    """Traced drops of the destination's own lost SYNs: the same addresses and ports and, where both have a date, at
    most `NEAR_NS` from one of its SYNs."""
    times: dict[_Tuple, list[int]] = {}
    for attempt in d.attempts[:ATTEMPTS_MOST]:
        for sighting in (s for t in attempt.transmissions for s in t.sightings):
            ends = (sighting.source.address, sighting.source.port)
            key = (*ends, sighting.destination.address, sighting.destination.port)
            times.setdefault(key, []).append(sighting.time_ns)
    found = []
    for each in facts.kernel.dumps if times else ():
        for event in each.dump.drops:
            key = (event.source, event.source_port or 0, event.destination, event.destination_port or 0)
            if event.dropped and key in times and _is_near(event, times[key]):
                found.append((event, (each.input, event.line)))
    return found


def _is_near(event: DropEvent, times_ns: list[int]) -> bool:
    if event.time_ns is None or min(times_ns) < DATED_FROM_NS:
        return True
    return any(abs(event.time_ns - time_ns) <= NEAR_NS for time_ns in times_ns)


def dropped_in_words(found: list[tuple[DropEvent, Line]]) -> str:
    """``pwru traced it in nf_hook_slow (NETFILTER_DROP)``."""
    event = next((event for event, _ in found if event.reason), found[0][0])
    where = f" in {of_line(event.place)}" if event.place and event.place != event.reason else ""
    return f"{event.tool} traced the drop{where} ({event.reason or 'no reason shown'})"


def _traced(found: list[tuple[DropEvent, Line]]) -> Weighed:
    count = sum(event.count for event, _ in found)
    text = f"{found[0][0].tool} traced {plural(count, 'packet')} dropped for {_reasons(found)}."
    lines = line_evidence([line for _, line in found[:LINES_MOST]])
    reason = (
        "traced where the packet is dropped; whether these are the packets that are missed, its tuple shows"
    )
    return Weighed(3.2 if count >= SEVERAL or found[0][0].destination else 2.0, text, lines, reason)


def _named(found: list[tuple[DropEvent, Line]]) -> str:
    count = sum(event.count for event, _ in found)
    flows = list(dict.fromkeys(flow_text(event) for event, _ in found if event.destination))
    of = f" ({flows[0]}{f' and {len(flows) - 1:,} more flows' if len(flows) > 1 else ''})" if flows else ""
    return f"{plural(count, 'packet')}{of} {were(count)}"


def flow_text(event: DropEvent) -> str:
    """``10.0.0.1:40000 → 10.0.0.2:80``."""
    ends = ((event.source, event.source_port), (event.destination, event.destination_port))
    return " → ".join(f"{of_object(host)}:{port}" if port else f"{of_object(host)}" for host, port in ends)


def _reasons(found: list[tuple[DropEvent, Line]]) -> str:
    names = list(dict.fromkeys(event.reason or event.place for event, _ in found))
    return ", ".join(names[:3])
