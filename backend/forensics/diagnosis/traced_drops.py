"""Drops that a tracer of the kernel or of Cilium saw, by what their reason means: a hypothesis for each host."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from backend.forensics.diagnosis.contract import Hypothesis, Weighed
from backend.forensics.diagnosis.listed_causes import ListedCause, from_listings, on_host
from backend.forensics.dumps import DropEvent
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.kernel_signs import Line
from backend.forensics.findings import line_evidence, plural
from backend.forensics.report import MissingPart

LINES_MOST = 50
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
    return f"{plural(count, 'packet')}{of} {'was' if count == 1 else 'were'}"


def flow_text(event: DropEvent) -> str:
    """``10.0.0.1:40000 → 10.0.0.2:80``."""
    ends = ((event.source, event.source_port), (event.destination, event.destination_port))
    return " → ".join(f"{host}:{port}" if port else host for host, port in ends)


def _reasons(found: list[tuple[DropEvent, Line]]) -> str:
    names = list(dict.fromkeys(event.reason or event.place for event, _ in found))
    return ", ".join(names[:3])
