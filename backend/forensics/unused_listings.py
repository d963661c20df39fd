"""What was read and not used, with the reason: listings of hosts that no question is about, counters given once."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from backend.forensics.dumps import Dump
from backend.forensics.evidence.attempts.retried import Endpoint
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.kernel.host_signs import HostSigns
from backend.forensics.findings import line_evidence
from backend.forensics.private_words import PrivateWord
from backend.forensics.report import DiagnosisPart, EvidencePart, QualityPart

CLIENTS_MOST = 100
RISING = ("nstat", "softnet-stat", "cpu-stat")
"""Kinds of which causes use the rise alone."""


def unused_listings(facts: Facts, diagnoses: Sequence[DiagnosisPart]) -> list[QualityPart]:
    """One line a host and reason. What a diagnosis cites was used."""
    cited = {part.input for d in diagnoses for claim in d.claims for part in claim.evidence}
    return [*_hosts(facts, cited), *_given_once(facts)]


def _hosts(facts: Facts, cited: set[str]) -> Iterator[QualityPart]:
    listed = facts.listed_hosts
    if len(listed.hosts) < 2:
        return
    used = {answer.host for answer in (listed.forwarding, *listed.asked)}
    for host in listed.hosts:
        if host.name in used or cited.intersection(d.input for d in host.dumps):
            continue
        text = f"dumps of {_name(host.name)} were read and not used: {_reason(facts, host)}"
        if host.name in listed.concerned:
            text = (
                f"dumps of {_name(host.name)} were used only where those of other hosts agree: "
                "the host in question could not be identified"
            )
        yield QualityPart(
            status="caution", text=text, evidence=_lines([(d.input, d.dump) for d in host.dumps])
        )


def _reason(facts: Facts, host: HostSigns) -> str:
    table = facts.attempts.table
    clients = np.unique(table[["client_high", "client_low"]]).tolist() if len(table) else []
    if any(Endpoint(high, low, 0).address in host.addresses for high, low in clients[:CLIENTS_MOST]):
        return "it is a client of these connections, and they show no loss there"
    return "they do not show that this host forwarded these packets or was their destination"


def _given_once(facts: Facts) -> Iterator[QualityPart]:
    for host in facts.listed_hosts.hosts:
        counted = Counter(d.dump.kind for d in host.dumps)
        for kind in RISING:
            if counted[kind] == 1:
                text = f"{kind} of {_name(host.name)} was read once and not used: a rise needs one before and one after"
                found = [(d.input, d.dump) for d in host.dumps if d.dump.kind == kind]
                yield QualityPart(status="caution", text=text, evidence=_lines(found))


def _name(host: str) -> str:
    return f"{PrivateWord(host, 'host')}" if host else "a host without a name"


def _lines(dumps: list[tuple[str, Dump]]) -> list[EvidencePart]:
    """The first line of each that is known, by file."""
    lines: dict[str, int] = defaultdict(lambda: 1)
    for name, dump in dumps:
        if dump.counters and name not in lines:
            lines[name] = dump.counters[0].line
        lines[name]
    return line_evidence(lines.items())
