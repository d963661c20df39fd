"""The race where a rule leaves few ports: two connections draw the same free one, whatever ports they came with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from backend.forensics.cases.case import Case
from backend.forensics.diagnosis.contract import Hypothesis, Weighed
from backend.forensics.diagnosis.counted import account_in_numbers, brackets, delta_lines
from backend.forensics.diagnosis.own_rules import CHECK, NOT_KEPT, without_port_range
from backend.forensics.diagnosis.victims import Victims, describe_victims, group_by_server
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.nat.drawn_ports import DrawnPort
from backend.forensics.findings import frame_evidence, line_evidence, plural, seconds_text
from backend.forensics.report import ClaimPart, EvidencePart, MissingPart, RemedyPart, RivalPart

CAUSE = "snat-port-race"
TITLE = "SNAT source-port collision in a short port range"
PRIOR = -2.5
"""As for the race of equal source ports."""
FEW_FREE = 8
"""Up to so many free ports two draws at once meet in one case of eight or more."""
COUNTER_MATCH_RATIO = 0.3
CEILING = 0.5
"""Even odds at most: packets show a port only until its close, so the range may as well have been used up."""
FLAT_COUNTERS = -6.0
"""The kernel counts every loser: with counters around the losses that did not move there was no race."""
PROOF = "conntrack -S: insert_failed must stop rising; capture 60 s again and compare"


@dataclass(frozen=True)
class _Drawn:
    """The losses towards one destination."""

    victims: Victims
    ports: tuple[DrawnPort, ...]

    @property
    def closest(self) -> DrawnPort:
        return min(self.ports, key=lambda p: (p.distance_ns, p.loss.transmission.time_ns))


@dataclass(frozen=True)
class _Counters:
    pieces: tuple[Weighed, ...] = ()
    agree: bool = False
    flat: bool = False


def assess_short_ranges(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per destination."""
    by_link: dict[int, list[DrawnPort]] = {}
    for number in sorted(facts.drawn_ports):
        drawn = facts.drawn_ports[number]
        by_link.setdefault(drawn.loss.attempt.link, []).append(drawn)
    attempts = [by_link[link][0].loss.attempt for link in sorted(by_link)]
    return [
        _hypothesis(
            facts,
            _Drawn(
                describe_victims(facts, findings, group), tuple(p for a in group for p in by_link[a.link])
            ),
        )
        for group in group_by_server(attempts)
    ]


def _hypothesis(facts: Facts, found: _Drawn) -> Hypothesis:
    counters = _counters(facts, found)
    pool = found.closest.pool
    return Hypothesis(
        cause=CAUSE,
        title=TITLE,
        role="loss",
        statement=_statement(found),
        prior=PRIOR,
        steps=tuple(_steps(found)),
        weighed=(*_place(facts, found), _beside(found), *counters.pieces, *_retry(found)),
        both_sides=True,
        independent=counters.agree,
        signs=int(counters.agree),
        findings=found.victims.findings,
        time_lost_s=found.victims.time_lost_s,
        rivals=tuple(_rivals(found, counters)),
        missing=tuple(_missing(facts, found)),
        remedies=tuple(_remedies(facts, found)),
        references=(
            "net/netfilter/nf_nat_core.c: nf_nat_l4proto_unique_tuple() draws a port where the range excludes "
            "the client's own; get_unique_tuple() reserves nothing",
        ),
        refutation="it would be refuted by insert_failed staying flat, or by many free ports",
        impact=found.victims.impact,
        figures=(
            *found.victims.figures,
            ("ports", f"{pool.range.ports - found.closest.free:,} of {pool.range.ports:,}"),
        ),
        ceiling=CEILING,
        attempts=found.victims.links,
    )


def _statement(found: _Drawn) -> str:
    hurt = f"{len(found.victims.attempts):,} of {plural(found.victims.attempts_total, 'connection')}"
    pool = found.closest.pool
    return (
        f"{hurt} to {found.victims.target} lost the SYN in the node: two connections drew the same one of "
        f"{found.closest.free:,} free ports of {pool.range.ports:,}."
    )


def _lost(found: _Drawn) -> list[EvidencePart]:
    return frame_evidence(
        (s.place.input, s.frame) for p in found.ports for s in p.loss.transmission.sightings
    )


def _steps(found: _Drawn) -> list[ClaimPart]:
    drawn = found.closest
    loss, pool = drawn.loss, drawn.pool
    first = loss.transmission.first
    rule = line_evidence((name, line) for name, line, _ in pool.range.rules)
    ports = f"{pool.range.first} to {pool.range.last}"
    text = f"A rule gives {pool.outer} only the ports {ports}; one is drawn per connection."
    steps = [ClaimPart(role="step", text=text, evidence=rule)]
    both = frame_evidence(
        [*((s.place.input, s.frame) for s in loss.transmission.sightings), (drawn.place.input, drawn.frame)]
    )
    text = (
        f"{first.source} sent its SYN {drawn.distance_ns / 1000:,.3g} µs from another SYN, which left "
        f"as {drawn.source}; it was dropped itself."
    )
    steps.append(ClaimPart(role="step", text=text, evidence=both))
    if loss.retry is not None:
        gap_s = (loss.retry.time_ns - loss.transmission.time_ns) / 1e9
        text = f"It was retransmitted after {seconds_text(gap_s)}."
        frames = frame_evidence((s.place.input, s.frame) for s in loss.retry.sightings)
        steps.append(ClaimPart(role="step", text=text, evidence=frames))
    return steps


def _place(facts: Facts, found: _Drawn) -> list[Weighed]:
    inner, outer = found.closest.loss.inside or (None, None)
    assert inner is not None
    assert outer is not None
    text = f"{plural(len(found.ports), 'SYN')} captured on {inner.word}, absent on {outer.word}, behind the SNAT."
    weight = 0.5 if facts.quality.lossy else 1.7
    return [Weighed(weight, text, _lost(found), "both vantage points are around the NAT")]


def _beside(found: _Drawn) -> Weighed:
    free = max(p.free for p in found.ports)
    farthest_us = max(p.distance_ns for p in found.ports) / 1000
    ports = found.closest.pool.range.ports
    text = (
        f"Beside each of the {plural(len(found.ports), 'lost SYN')} another one got a port of the range, at most "
        f"{farthest_us:,.3g} µs away, while at most {free:,} of {ports:,} ports were free."
    )
    frames = frame_evidence((p.place.input, p.frame) for p in found.ports)
    weight = 1.2 if free <= FEW_FREE else 0.6
    return Weighed(
        weight,
        text,
        [*_lost(found), *frames],
        "with few free ports two simultaneous draws often pick the same",
    )


def _counters(facts: Facts, found: _Drawn) -> _Counters:
    delta = facts.node.delta
    if delta is None or "insert_failed" not in delta.deltas:
        return _Counters()
    rise = delta.deltas["insert_failed"]
    # The kernel counts every SYN that NAT dropped, whichever race or shortage it was.
    lost = sum(loss.inside is not None and loss.rewritten for loss in facts.losses)
    if rise < len(found.ports) * COUNTER_MATCH_RATIO:
        times = [p.loss.transmission.time_ns for p in found.ports]
        around = brackets(facts.node, delta, min(times), max(times))
        text = f"insert_failed rose by {rise:,} {delta.between_dumps}, but {plural(lost, 'SYN')} were lost at the NAT."
        reason = "every dropped SYN is counted there" + (
            "" if around else ", but the dumps were taken at other times"
        )
        piece = Weighed(FLAT_COUNTERS if around else -2.0, text, delta_lines(delta), reason)
        return _Counters((piece,), flat=around)
    agree = abs(rise - lost) <= max(2, COUNTER_MATCH_RATIO * lost)
    text = account_in_numbers(delta, lost, "SYNs that were lost at the NAT")
    reason = "one failed insertion per lost SYN" if agree else "it rose, but by another number"
    return _Counters((Weighed(2.2 if agree else 0.8, text, delta_lines(delta), reason),), agree=agree)


def _retry(found: _Drawn) -> list[Weighed]:
    passed = [
        p.loss.retry
        for p in found.ports
        if p.loss.retry is not None and p.place.number in {s.place.number for s in p.loss.retry.sightings}
    ]
    if not passed:
        return []
    frames = frame_evidence((s.place.input, s.frame) for r in passed for s in r.sightings)
    text = f"The retransmission passed with a port of the range in {len(passed):,} of {len(found.ports):,} cases."
    return [Weighed(0.5, text, frames, "the next draw seldom collides")]


def _rivals(found: _Drawn, counters: _Counters) -> list[RivalPart]:
    drawn = found.closest
    used, ports = drawn.pool.range.ports - drawn.free, drawn.pool.range.ports
    exhaustion = RivalPart(
        cause="snat-port-exhaustion",
        title="SNAT port exhaustion",
        status="possible",
        because=f"{used:,} of {ports:,} ports were seen in use, and conntrack holds a port longer than packets show it",
        command=f"conntrack -E -o timestamp -p tcp --orig-port-dst {drawn.pool.destination.port}",
    )
    rule, title = "node-drop", "Drop inside the node (firewall rule, policy or program)"
    if counters.agree:
        because = "insert_failed rose by the number of lost SYNs: it would be flat"
        return [exhaustion, RivalPart(cause=rule, title=title, status="ruled-out", because=because)]
    because = "insert_failed stayed flat" if counters.flat else "no counters distinguish a drop by a rule"
    command = "conntrack -S; sleep 60; conntrack -S"
    return [
        exhaustion,
        RivalPart(cause=rule, title=title, status="possible", because=because, command=command),
    ]


def _missing(facts: Facts, found: _Drawn) -> list[MissingPart]:
    port = found.closest.pool.destination.port
    missing = [
        MissingPart(
            what="The entries that hold the ports when a SYN is lost: they distinguish a race from port exhaustion",
            command=f"conntrack -E -o timestamp -p tcp --orig-port-dst {port}",
        )
    ]
    if facts.node.delta is None:
        what = "Kernel counters before and after: insert_failed must rise by one per lost SYN"
        missing.append(MissingPart(what=what, command="conntrack -S; sleep 60; conntrack -S"))
    return missing


def _remedies(facts: Facts, found: _Drawn) -> list[RemedyPart]:
    texts = {text for _, _, text in found.closest.pool.range.rules}
    rules = {r.text: r for _, r in facts.node.nat_rules() if r.text in texts and r.syntax == "iptables"}
    changes = [without_port_range(rule) for rule in rules.values()]
    return [
        RemedyPart(
            what="Remove the port range from your rule: insert it without the range, then delete the old one",
            command=change.command,
            applies_to="plain iptables",
            check=CHECK,
            proof=PROOF,
            undo=change.undo,
            side_effect=f"other source ports: firewalls that allow the old range must be updated; {NOT_KEPT}",
        )
        for change in changes
        if change is not None
    ]
