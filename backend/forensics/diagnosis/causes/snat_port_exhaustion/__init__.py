"""Every SNAT port to a destination is in use: the kernel finds none for the next connection and drops its SYN.

`nf_nat_l4proto_unique_tuple()` tries the ports of the range and, finding all taken, leaves a tuple that is in use; the
entry cannot be stored (`insert_failed`) and the packet is dropped (`drop`) until ports are freed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from backend.forensics.cases.case import Case
from backend.forensics.diagnosis.alternatives import Alternative
from backend.forensics.diagnosis.causes.snat_port_exhaustion.evidence import (
    Shortage,
    collect_shortages,
    weigh_shortage,
)
from backend.forensics.diagnosis.causes.snat_port_exhaustion.remedies import list_remedies
from backend.forensics.diagnosis.causes.snat_port_exhaustion.rivals import list_rivals
from backend.forensics.diagnosis.contract import Hypothesis
from backend.forensics.evidence.facts import Facts
from backend.forensics.findings import frame_evidence, line_evidence, seconds_text
from backend.forensics.report import ClaimPart, MissingPart

CAUSE = "snat-port-exhaustion"
TITLE = "SNAT port exhaustion"
ALTERNATIVES: Final = (
    Alternative("SNAT source-port collision", "most ports are free, and the loser's retry passes 1 s later"),
    Alternative(
        "SNAT port exhaustion at the cloud's NAT", "SYNs leave the node, and its own insert_failed stays"
    ),
)
COLLECT: Final = (
    MissingPart(
        what="Ports in use, failed insertions, and the rules that choose the ports",
        command="conntrack -S; conntrack -L -p tcp | wc -l; iptables-save -t nat; sysctl net.ipv4.ip_local_port_range",
    ),
)
PRIOR = -2.0
"""64,512 ports per destination are seldom all in use; a range that somebody made short is what it takes."""

REFERENCES = (
    "net/netfilter/nf_nat_core.c: nf_nat_l4proto_unique_tuple(), get_unique_tuple()",
    "net/netfilter/nf_conntrack_core.c: __nf_conntrack_confirm() counts insert_failed and drop",
)


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per destination with SYNs that found no free port."""
    return [_hypothesis(facts, found) for found in collect_shortages(facts, findings)]


def _hypothesis(facts: Facts, found: Shortage) -> Hypothesis:
    weighed = weigh_shortage(facts, found)
    return Hypothesis(
        cause=CAUSE,
        title=TITLE,
        role="loss",
        statement=_statement(found),
        prior=PRIOR,
        steps=tuple(_steps(found)),
        weighed=tuple(weighed.pieces),
        both_sides=found.located == len(found.losses),
        independent=weighed.counters_agree or weighed.dumped,
        signs=int(weighed.counters_agree) + int(weighed.dumped) + int(found.pool.range.basis == "rule"),
        findings=found.victims.findings,
        time_lost_s=found.victims.time_lost_s,
        rivals=tuple(list_rivals(facts, found, weighed)),
        missing=tuple(_missing(facts, found, weighed.dumped)),
        remedies=tuple(list_remedies(facts, found)),
        references=REFERENCES,
        refutation=("it would be refuted by losses while ports were free, or by insert_failed staying flat"),
        impact=found.victims.impact,
        figures=(
            *found.victims.figures,
            ("ports", f"{found.pool.in_use_max:,} of {found.pool.range.ports:,}"),
        ),
        attempts=found.victims.links,
    )


def _statement(found: Shortage) -> str:
    pool = found.pool
    return (
        f"{found.victims.hurt} waited: all {pool.range.ports:,} SNAT ports of {pool.outer} for this "
        "destination were in use."
    )


def _steps(found: Shortage) -> list[ClaimPart]:
    pool, loss = found.pool, found.losses[len(found.losses) // 2]
    rules = line_evidence((name, line) for name, line, _ in pool.range.rules)
    basis = {
        "rule": "A rule allows",
        "inferred": "In this capture occur only",
        "default": "The kernel allows",
    }
    text = f"{basis[pool.range.basis]} the ports {pool.range.first} to {pool.range.last} for {pool.outer}."
    evidence = rules or frame_evidence(pool.frames) or line_evidence(pool.lines)
    steps = [ClaimPart(role="step", text=text, evidence=evidence)]
    first = loss.transmission.first
    text = (
        f"When {first.source} sent its SYN, {pool.in_use_at(loss.transmission.time_ns):,} of "
        f"{pool.range.ports:,} were in use; it was dropped."
    )
    frames = frame_evidence((s.place.input, s.frame) for s in loss.transmission.sightings)
    steps.append(ClaimPart(role="step", text=text, evidence=[*frames, *line_evidence(pool.lines)]))
    if loss.retry is not None:
        gap_s = (loss.retry.time_ns - loss.transmission.time_ns) / 1e9
        text = f"{first.source} retransmitted its SYN after {seconds_text(gap_s)}."
        frames = frame_evidence((s.place.input, s.frame) for s in loss.retry.sightings)
        steps.append(ClaimPart(role="step", text=text, evidence=frames))
    return steps


def _missing(facts: Facts, found: Shortage, dumped: bool) -> list[MissingPart]:
    missing = []
    if not dumped:
        what = "The entries that hold the ports: packets show a port only until the connection closes"
        port = found.pool.destination.port
        command = f"conntrack -L -p tcp --orig-port-dst {port} | wc -l; conntrack -E -o timestamp"
        missing.append(MissingPart(what=what, command=command))
    if facts.node.delta is None:
        what = "Kernel counters before and after: insert_failed and drop must rise by one per lost SYN"
        missing.append(MissingPart(what=what, command="conntrack -S; sleep 60; conntrack -S"))
    if found.pool.range.basis != "rule":
        what = "The NAT rules: they show how many ports are available"
        missing.append(MissingPart(what=what, command="iptables-save -t nat; nft list ruleset"))
    return missing
