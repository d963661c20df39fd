"""What speaks for and against a tuple that the server still holds, with the weight of each piece and its reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from backend.forensics.cases.case import Case
from backend.forensics.diagnosis.contract import Weighed
from backend.forensics.diagnosis.own_rules import SOURCE_NAT
from backend.forensics.diagnosis.victims import Victims, describe_victims, group_by_server
from backend.forensics.dumps import NatRule
from backend.forensics.evidence.attempts.attempts import RetriedAttempt
from backend.forensics.evidence.attempts.challenges import Challenge
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.nat.port_pools import PortPool
from backend.forensics.evidence.nat.port_reuse import ReusedTuple, describe_reuse
from backend.forensics.findings import frame_evidence, line_evidence, plural, seconds_text
from backend.forensics.private_words import of_file
from backend.forensics.report import EvidencePart

QUICK_RETRY_S = 0.1
"""Linux sends the SYN again within a few timer ticks after such an ACK (8 to 16 ms measured); else after 1 s."""
LONGEST_HELD_S = 120.0
"""Linux sockets hold a closed connection for 60 s, conntrack for 120 s (nf_conntrack_tcp_timeout_time_wait)."""
SHORT_RANGE_PORTS = 4_096
"""A range this short comes round within the 60 s of TIME-WAIT already at 70 connections a second."""


@dataclass(frozen=True)
class Collisions:
    """Attempts to one destination whose SYN was answered by an ACK of another connection."""

    victims: Victims
    challenges: tuple[Challenge, ...]
    reused: dict[int, ReusedTuple]
    """By link: the earlier connection on that tuple, where packets or a dump show it."""
    fresh_challenged: int
    left_node: bool
    """The SYNs were seen at the furthest vantage point that sees this client's SYNs."""
    pool: PortPool | None
    rules: tuple[tuple[str, NatRule], ...]

    @property
    def gap_median_s(self) -> float:
        return median(r.gap_ns for r in self.reused.values()) / 1e9 if self.reused else 0.0

    @property
    def example(self) -> tuple[Challenge, ReusedTuple | None]:
        """The instance whose wait is in the middle; one with a known earlier connection if there is any."""
        known = [c for c in self.challenges if c.attempt.link in self.reused] or list(self.challenges)
        known.sort(key=lambda c: (c.attempt.transmissions[1].time_ns - c.attempt.start_ns, c.time_ns))
        chosen = known[len(known) // 2]
        return chosen, self.reused.get(chosen.attempt.link)


@dataclass(frozen=True)
class WeighedCollisions:
    """`rule_limits`: a dumped rule leaves few ports; `listed`: a dump lists the closed connections."""

    pieces: tuple[Weighed, ...]
    rule_limits: bool
    listed: bool


def collect_collisions(facts: Facts, findings: Sequence[Case]) -> list[Collisions]:
    """By destination."""
    groups = group_by_server(c.attempt for c in facts.challenges.values())
    return [_collisions(facts, describe_victims(facts, findings, attempts)) for attempts in groups]


def _collisions(facts: Facts, victims: Victims) -> Collisions:
    links = set(victims.links)
    reuse, table = facts.port_reuse, facts.attempts.table
    rows = np.flatnonzero(reuse.reused & np.isin(table["link"], np.array(victims.links, np.int64)))
    known = describe_reuse(facts.captures, facts.attempts, reuse, rows, facts.node.dumps)
    ends = {a.transmissions[0].last.destination for a in victims.attempts}
    pools = [p for p in facts.port_pools if p.destination in ends]
    return Collisions(
        victims,
        tuple(facts.challenges[link] for link in victims.links),
        {r.link: r for r in known},
        len(links) - len(rows),
        all(_left(facts, a) for a in victims.attempts),
        max(pools, key=lambda p: (p.connections, p.outer), default=None),
        tuple((name, r) for name, r in facts.node.nat_rules() if r.target in SOURCE_NAT),
    )


def _left(facts: Facts, attempt: RetriedAttempt) -> bool:
    """Seen at several vantage points, up to the furthest that this client's SYNs pass."""
    expected = facts.attempts.expected_places(attempt)
    seen = {s.place.number for s in attempt.transmissions[0].sightings}
    return len(expected) > 1 and expected[-1].number in seen


def weigh_collisions(found: Collisions) -> WeighedCollisions:
    """All pieces, in the order in which they convince."""
    limits, rule_pieces = _rules(found)
    listed, list_pieces = _listed(found)
    pieces = [*_answers(found), *_reuse(found), *_place(found), *rule_pieces, *list_pieces]
    return WeighedCollisions((*pieces, *_retries(found)), limits, listed)


def _ack_frames(found: Collisions) -> list[EvidencePart]:
    return frame_evidence((p.input, f) for c in found.challenges for p, f in c.acks)


def _answers(found: Collisions) -> list[Weighed]:
    number = len(found.challenges)
    text = (
        f"{plural(number, 'first SYN')} answered by an ACK that does not acknowledge it: the server "
        "still holds a connection on that 5-tuple."
    )
    reason = "RFC 9293 asks for such an ACK only where the tuple is in TIME-WAIT or still open"
    pieces = [Weighed(2.2, text, _ack_frames(found), reason)]
    reset = sum(bool(c.resets) for c in found.challenges)
    if reset:
        frames = frame_evidence((p.input, f) for c in found.challenges for p, f in c.resets)
        text = f"The client reset {reset} of {number} of these: it has no state for that connection."
        reason = "the client's part of the exchange; it also closes the old connection at the server"
        pieces.append(Weighed(0.4 * reset / number, text, frames, reason))
    return pieces


def _reuse(found: Collisions) -> list[Weighed]:
    number = len(found.challenges)
    if not found.reused:
        return []
    frames = [(r.place.input, f) for r in found.reused.values() for f in r.frames]
    lines = [r.listed for r in found.reused.values() if r.listed is not None]
    evidence = [*frame_evidence(frames), *line_evidence(lines)]
    gaps_s = [r.gap_ns / 1e9 for r in found.reused.values()]
    late = sum(gap > LONGEST_HELD_S for gap in gaps_s)
    if late * 2 > number:
        text = f"{late:,} of {number} came more than {LONGEST_HELD_S:g} s after the end of the earlier connection."
        reason = "Linux holds TIME-WAIT for 60 s; a response after twice that comes from an open connection"
        return [Weighed(-3.0, text, evidence, reason)]
    text = (
        f"{len(found.reused):,} of {number:,} were sent on a tuple whose earlier connection had ended "
        f"{seconds_text(min(gaps_s))} to {seconds_text(max(gaps_s))} before."
    )
    share = len(found.reused) / number
    return [Weighed(1.5 * share, text, evidence, "the old connection was captured")]


def _place(found: Collisions) -> list[Weighed]:
    if not found.left_node:
        return []
    frames = frame_evidence(
        (s.place.input, s.frame) for a in found.victims.attempts for s in a.transmissions[0].sightings
    )
    text = (
        f"All {len(found.victims.attempts):,} SYNs were captured at the outermost vantage point: they left."
    )
    return [Weighed(0.6, text, frames, "a packet that left was not dropped by the node")]


def _rules(found: Collisions) -> tuple[bool, list[Weighed]]:
    short = [(n, r) for n, r in found.rules if r.port_range and _ports(r) <= SHORT_RANGE_PORTS]
    if short:
        name, rule = min(short, key=lambda pair: (_ports(pair[1]), pair[0]))
        text = (
            f"The {rule.target} rule of {of_file(name)} leaves {_ports(rule):,} ports per destination: "
            "they are reused while the server still holds them."
        )
        evidence = line_evidence((n, r.line) for n, r in short)
        return True, [Weighed(0.8, text, evidence, "the reason for the early reuse")]
    if found.pool is not None and found.pool.range.basis == "inferred":
        ports = found.pool.range
        text = f"All connections leave from ports {ports.first} to {ports.last}: {ports.ports:,} are reused early."
        evidence = frame_evidence(found.pool.frames)
        return False, [Weighed(0.5, text, evidence, "a short range, though only inferred from the packets")]
    return False, []


def _ports(rule: NatRule) -> int:
    return rule.port_range[1] - rule.port_range[0] + 1 if rule.port_range else 1 << 16


def _listed(found: Collisions) -> tuple[bool, list[Weighed]]:
    lines = [r.listed for r in found.reused.values() if r.listed is not None]
    if not lines:
        return False, []
    text = f"A dump taken before lists {len(lines):,} of these tuples as closed and not yet expired."
    return True, [Weighed(1.0, text, line_evidence(lines), "a source other than the packets")]


def _retries(found: Collisions) -> list[Weighed]:
    gaps_s = [
        (a.transmissions[1].time_ns - a.start_ns) / 1e9
        for a in found.victims.attempts
        if len(a.transmissions) > 1
    ]
    quick = sum(gap < QUICK_RETRY_S for gap in gaps_s)
    if not quick:
        return []
    frames = frame_evidence(
        (a.transmissions[1].first.place.input, a.transmissions[1].first.frame)
        for a in found.victims.attempts
        if len(a.transmissions) > 1
    )
    text = f"{quick:,} of {len(gaps_s):,} SYNs were retransmitted within {QUICK_RETRY_S * 1000:.0f} ms, not after 1 s."
    reason = "Linux retransmits immediately after such an ACK; a lost packet is detected only by the timer"
    return [Weighed(0.5 * quick / len(gaps_s), text, frames, reason)]
