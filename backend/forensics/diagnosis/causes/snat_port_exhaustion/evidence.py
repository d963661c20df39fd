"""What speaks for and against a used-up range, with the weight of each piece and its reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from backend.forensics.cases.case import Case
from backend.forensics.diagnosis.contract import Weighed
from backend.forensics.diagnosis.counted import account_in_numbers, brackets, delta_lines
from backend.forensics.diagnosis.victims import Victims, describe_victims, group_by_server
from backend.forensics.evidence.absence.losses import Loss
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.nat.port_pools import PortPool
from backend.forensics.findings import frame_evidence, line_evidence
from backend.forensics.report import EvidencePart

COUNTER_MATCH_RATIO = 0.3
"""insert_failed may differ from the lost SYNs by this share: other destinations may run short, too."""


@dataclass(frozen=True)
class Shortage:
    """SYNs towards one destination that found no free port."""

    victims: Victims
    losses: tuple[Loss, ...]
    others: tuple[Loss, ...]
    """SYNs to the same destination that were lost at the NAT while ports were free."""
    pool: PortPool

    @property
    def located(self) -> int:
        """Losses seen on one side of the NAT and not on the other."""
        return sum(loss.inside is not None for loss in self.losses)


@dataclass(frozen=True)
class WeighedShortage:
    """`dumped`: conntrack itself lists the ports as taken. `counters`: rise of insert_failed, None when unknown."""

    pieces: tuple[Weighed, ...]
    counters_agree: bool
    counters: int | None
    dumped: bool


def collect_shortages(facts: Facts, findings: Sequence[Case]) -> list[Shortage]:
    """By destination; the pool is the one that most losses found used up."""
    numbers: dict[int, list[int]] = {}
    for number in sorted(facts.exhausted):
        numbers.setdefault(facts.losses[number].attempt.link, []).append(number)
    attempts = {facts.losses[n].attempt.link: facts.losses[n].attempt for n in facts.exhausted}
    shortages = []
    for group in group_by_server(attempts[link] for link in sorted(attempts)):
        mine = [n for a in group for n in numbers[a.link]]
        pools = [facts.exhausted[n] for n in mine]
        server = group[0].server
        towards = facts.losses.numbers_of(facts.attempts.retried_to(server))
        towards = towards[facts.losses.rewritten[towards]]
        others = [facts.losses[n] for n in towards.tolist() if n not in facts.exhausted]
        pool = max(pools, key=lambda p: (sum(q is p for q in pools), p.outer))
        losses = tuple(facts.losses[n] for n in mine)
        shortages.append(Shortage(describe_victims(facts, findings, group), losses, tuple(others), pool))
    return shortages


def weigh_shortage(facts: Facts, found: Shortage) -> WeighedShortage:
    """All pieces, in the order in which they convince."""
    dumped, use = _use(found)
    agree, rise, counters = _counters(facts, found)
    pieces = [use, *_place(facts, found), *counters, *_rule(found), *_others(found)]
    return WeighedShortage(tuple(pieces), agree, rise, dumped)


def _loss_frames(losses: Sequence[Loss]) -> list[EvidencePart]:
    return frame_evidence((s.place.input, s.frame) for loss in losses for s in loss.transmission.sightings)


def _use(found: Shortage) -> tuple[bool, Weighed]:
    pool = found.pool
    dumped = any(
        u.source == "dump" and u.most_at_ns > 0 and u.most >= 0.95 * pool.range.ports for u in pool.usages
    )
    in_use = [pool.in_use_at(loss.transmission.time_ns) for loss in found.losses]
    low, high = min(in_use), max(in_use)
    text = (
        f"{f'{low:,} to ' if low < high else ''}{high:,} of {pool.range.ports:,} ports of {pool.outer} towards "
        f"{pool.destination} were in use when each of the"
        f" {len(found.losses):,} SYNs was lost."
    )
    evidence = [*_loss_frames(found.losses), *line_evidence(pool.lines)]
    if dumped:
        return True, Weighed(1.9, text, evidence, "conntrack lists the ports as in use at these times")
    if pool.range.basis == "inferred":
        reason = "packets show ports only until the connection closes, and the range is inferred from them"
        return False, Weighed(0.9, text, evidence, reason)
    return False, Weighed(1.3, text, evidence, "packets show ports only until the connection closes")


def _place(facts: Facts, found: Shortage) -> list[Weighed]:
    if not found.located:
        return []
    share = found.located / len(found.losses)
    text = f"SYN captured before the NAT and absent behind it: {found.located:,} of {len(found.losses):,}."
    weight = 1.5 * share - (1.0 if facts.quality.lossy else 0.0)
    reason = (
        "the drop happens where the entry is inserted; less certain when packets are missing from the capture"
    )
    return [Weighed(weight, text, _loss_frames(found.losses), reason)] if weight > 0 else []


def _counters(facts: Facts, found: Shortage) -> tuple[bool, int | None, list[Weighed]]:
    delta = facts.node.delta
    if delta is None or "insert_failed" not in delta.deltas:
        return False, None, []
    rise, lost = delta.deltas["insert_failed"], len(found.losses)
    if rise < lost * COUNTER_MATCH_RATIO:
        text = f"insert_failed rose by {rise:,} {delta.between_dumps}, but {lost:,} SYNs were lost."
        times = [loss.transmission.time_ns for loss in found.losses]
        around = brackets(facts.node, delta, min(times), max(times))
        reason = "a packet without a free port is counted there" + (
            "" if around else "; the dumps were not taken around the losses"
        )
        return False, rise, [Weighed(-5.0 if around else -1.5, text, delta_lines(delta), reason)]
    agree = abs(rise - lost) <= max(2, COUNTER_MATCH_RATIO * lost)
    text = account_in_numbers(delta, lost, "SYNs lost while no port was free")
    reason = "one failed insertion per packet without a port" if agree else "it rose, but by another number"
    return agree, rise, [Weighed(1.6 if agree else 0.6, text, delta_lines(delta), reason)]


def _rule(found: Shortage) -> list[Weighed]:
    if found.pool.range.basis != "rule":
        return []
    lines = line_evidence((name, line) for name, line, _ in found.pool.range.rules)
    text = f"The rule allows {found.pool.range.ports:,} ports, where the kernel would have 64,512."
    return [Weighed(0.5, text, lines, "the range is known, not inferred")]


def _others(found: Shortage) -> list[Weighed]:
    total = len(found.losses) + len(found.others)
    if len(found.others) * 2 <= total:
        return []
    text = f"{len(found.others):,} of {total:,} SYNs lost at the NAT were lost while ports were free."
    reason = "another cause drops them, and may have dropped these, too"
    return [Weighed(-3.0, text, _loss_frames(found.others), reason)]
