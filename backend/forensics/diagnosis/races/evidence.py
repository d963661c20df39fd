"""What speaks for and against the race, with the weight of each piece and its reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from backend.forensics.cases.case import Case
from backend.forensics.diagnosis.contract import Weighed
from backend.forensics.diagnosis.counted import account_in_numbers, brackets, delta_lines
from backend.forensics.diagnosis.named_findings import findings_to
from backend.forensics.evidence.absence.losses import UNKNOWN_PLACE, Loss
from backend.forensics.evidence.attempts.attempts import Endpoint
from backend.forensics.evidence.facts import RIVAL_WINDOW_NS, Facts
from backend.forensics.evidence.losses.rivals import Rival, count_rivalled
from backend.forensics.findings import frame_evidence, line_evidence
from backend.forensics.report import EvidencePart
from backend.forensics.significance import fisher_exact_p
from backend.forensics.wording import p_text, plural

COUNTER_MATCH_RATIO = 0.3
"""insert_failed may differ from the lost SYNs by this share: other traffic of the node races, too, and one
vantage point may not see all of it."""
DATA_LOSS_LIKE_SYN_LOSS = 0.5
"""Data lost at half the SYNs' rate or more: the path loses packets, whatever they are."""
SIGNIFICANT_P = 0.01
FLAT_COUNTERS = -6.0
"""Every loser is counted there by the kernel itself: with counters that bracket the losses and did not move there was
no race, whatever else fits (all that can speak for it adds up to 4.7 with the prior)."""
FLAT_BUT_LATER = -2.0
"""Counters read before and after, but not around the losses: the race may have been over, or not begun."""
FULLY_RANDOM = -5.0
"""Where no port is kept, equal source ports mean nothing: the pattern that suggested a race is chance. Left at even
odds only by a listing of other rules than those in force."""
SEEN_BEHIND = -2.5
"""Most losses are elsewhere, so that something else loses SYNs here, too. It does not touch SYNs that are known to
have vanished at the NAT and that the counters confirm; alone it outweighs place and rivals."""
DATA_LOST_TOO = -3.0
"""A path that loses packets of every kind explains lost SYNs without NAT; counters that rose by exactly the lost SYNs
still stand against it."""


@dataclass(frozen=True)
class Race:
    """The collisions towards one destination and the figures around them."""

    target: str
    server: Endpoint
    collisions: tuple[tuple[Loss, Rival], ...]
    losses: tuple[Loss, ...]
    findings: tuple[Case, ...]
    attempts_total: int
    time_lost_s: float
    worst_s: float
    usual_s: float | None
    gap_median_s: float
    sources_hit: int
    sources_total: int

    @property
    def located(self) -> int:
        """Collisions whose SYN was seen on one side of the NAT and not on the other."""
        return sum(loss.inside is not None for loss, _ in self.collisions)

    @property
    def between(self) -> tuple[str, str]:
        """Names of the vantage points around most losses; the second is "" when only one was captured."""
        pairs = [(loss.inside[0].word, loss.inside[1].word) for loss, _ in self.collisions if loss.inside]
        return (
            max(sorted(set(pairs)), key=pairs.count)
            if pairs
            else (self.collisions[0][0].transmission.last.place.word, "")
        )

    @property
    def ports_change(self) -> bool:
        """Some retry left with another source port than it was sent with."""
        retries = [loss.retry for loss, _ in self.collisions if loss.retry is not None]
        return any(r.first.source.port != r.last.source.port for r in retries)


@dataclass(frozen=True)
class WeighedRace:
    """`insert_failed`: its rise, None when unknown."""

    pieces: tuple[Weighed, ...]
    counters_agree: bool
    counters_flat: bool
    events_agree: bool
    rivals_matter: bool
    insert_failed: int | None


def collect_races(facts: Facts, findings: Sequence[Case], *, service: bool) -> list[Race]:
    """Group the collisions by destination. A rival of a SYN that was seen further on makes no race, nor does one of
    a SYN that found no free port. `service` chooses those whose destination is rewritten, too."""
    groups: dict[tuple[int, int, int], list[tuple[Loss, Rival]]] = {}
    services = _Services(facts)
    for number, rival in sorted(facts.rivals.items()):
        loss = facts.losses[number]
        at_nat = loss.rewritten or loss.where == UNKNOWN_PLACE
        if at_nat and number not in facts.exhausted and services.is_asked_by(loss) is service:
            server = loss.attempt.server
            groups.setdefault((server.high, server.low, server.port), []).append((loss, rival))
    return [_race(facts, findings, groups[key]) for key in sorted(groups)]


class _Services:
    """Addresses whose SYNs leave with another destination. Each is looked up once, however many SYNs it lost."""

    def __init__(self, facts: Facts) -> None:
        self._attempts = facts.attempts
        self._rewritten: dict[Endpoint, bool] = {}

    def is_asked_by(self, loss: Loss) -> bool:
        """The client asked for a service address."""
        server = loss.attempt.server
        if server not in self._rewritten:
            same = self._attempts.rows_to(server)
            self._rewritten[server] = bool(np.any(self._attempts.table["rewritten_destination"][same]))
        return self._rewritten[server] or any(
            len({(s.destination.low, s.destination.port) for s in sent.sightings}) > 1
            for sent in (loss.retry, *loss.attempt.transmissions)
            if sent is not None
        )


def _race(facts: Facts, findings: Sequence[Case], collisions: list[tuple[Loss, Rival]]) -> Race:
    server = collisions[0][0].attempt.server
    table = facts.attempts.table[facts.attempts.rows_to(server)]
    usual_s = facts.baseline_connect_s((server.high, server.low, server.port))
    attempts = {loss.attempt.link: loss.attempt for loss, _ in collisions}.values()
    waits = [
        a.connect_delay_s
        if a.connect_delay_s is not None
        else (a.transmissions[-1].time_ns - a.start_ns) / 1e9
        for a in attempts
    ]
    gaps = [(loss.retry.time_ns - loss.transmission.time_ns) / 1e9 for loss, _ in collisions if loss.retry]
    target = str(server)
    losses = facts.losses.towards(server)
    return Race(
        target=target,
        server=server,
        collisions=tuple(collisions),
        losses=tuple(losses),
        findings=findings_to(findings, target),
        attempts_total=len(table),
        time_lost_s=sum(max(0.0, w - (usual_s or 0.0)) for w in waits),
        worst_s=max(waits),
        usual_s=usual_s,
        gap_median_s=median(gaps) if gaps else 0.0,
        sources_hit=len({(a.client.high, a.client.low) for a in attempts}),
        sources_total=len(np.unique(table[["client_high", "client_low"]])),
    )


def weigh_race(facts: Facts, race: Race) -> WeighedRace:
    """All pieces, in the order in which they convince."""
    counters, agree, flat, rise = _counters(facts, race)
    events, events_agree = _events(facts, race)
    rivals, matter = _rivals(facts, race)
    pieces = [
        *_place(facts, race),
        *rivals,
        *counters,
        *events,
        *_retry(race),
        *_rules(facts),
        *_data(facts, race),
    ]
    return WeighedRace(tuple(pieces), agree, flat, events_agree, matter, rise)


def _loss_frames(race: Race) -> list[EvidencePart]:
    return frame_evidence(
        (s.place.input, s.frame) for loss, _ in race.collisions for s in loss.transmission.sightings
    )


def _place(facts: Facts, race: Race) -> list[Weighed]:
    pieces = []
    number = len(race.collisions)
    if race.located:
        inner, outer = race.between
        text = f"SYN captured on {inner}, absent on {outer}, behind the NAT: {race.located:,} of {number:,}."
        weight = 1.7 * race.located / number - (1.2 if facts.quality.lossy else 0.0)
        if weight > 0:
            pieces.append(
                Weighed(
                    weight,
                    text,
                    _loss_frames(race),
                    "the drop happens in the NAT step; less certain when packets are missing from the capture",
                )
            )
    seen_behind = [x for x in race.losses if x.inside is None and x.where != UNKNOWN_PLACE]
    if seen_behind and len(seen_behind) * 2 > len(race.losses):
        frames = frame_evidence(
            (s.place.input, s.frame) for x in seen_behind for s in x.transmission.sightings
        )
        text = (
            f"{len(seen_behind):,} of {len(race.losses):,} lost SYNs were captured behind NAT: most were "
            "not lost inside the node."
        )
        pieces.append(
            Weighed(
                SEEN_BEHIND, text, frames, "a dropped packet cannot leave; most losses have another cause"
            )
        )
    return pieces


def _rivals(facts: Facts, race: Race) -> tuple[list[Weighed], bool]:
    """Rivals prove something only when SYNs with a rival are lost more often than SYNs without one."""
    relevant = [x for x in race.losses if x.inside is not None or x.where == UNKNOWN_PLACE]
    lost_alone = len(relevant) - len(race.collisions)
    p_value = _chance(facts, race, lost_alone)
    distances_us = [rival.distance_ns / 1000 for _, rival in race.collisions]
    low, high, mid = min(distances_us), max(distances_us), median(distances_us)
    text = (
        f"{len(race.collisions):,} of {len(relevant):,} lost SYNs competed with a SYN of the same source "
        f"port {low:g} to {high:g} µs away (median {mid:.3g}); of SYNs without a competing SYN "
        f"{lost_alone:,} were lost "
        f"({p_text(p_value)})."
    )
    frames = frame_evidence((rival.place.input, rival.frame) for _, rival in race.collisions)
    matters = p_value < SIGNIFICANT_P
    share = len(race.collisions) / len(relevant)
    reason = "a race needs two SYNs; chance is excluded by Fisher's exact test"
    weight = (1.6 if matters else 0.4) * share
    pieces = [Weighed(weight, text, [*_loss_frames(race), *frames], reason)]
    if share < 0.5:
        text = f"{lost_alone:,} of {len(relevant):,} lost SYNs had no competing SYN: most losses have another cause."
        first = [x.transmission.first for x in relevant]
        evidence = frame_evidence((s.place.input, s.frame) for s in first)
        pieces.append(Weighed(-2.0, text, evidence, "the race explains the minority"))
    return pieces, matters


def _chance(facts: Facts, race: Race, lost_alone: int) -> float:
    """Probability (Fisher's exact test) that lost SYNs have rivals this often by chance."""
    place = race.collisions[0][1].place
    table = count_rivalled(facts.attempts, place, race.server, within_ns=RIVAL_WINDOW_NS)
    spared = max(0, table.rivalled - len(race.collisions))
    counts = ((len(race.collisions), lost_alone), (spared, max(0, table.alone - lost_alone)))
    return fisher_exact_p(counts, "greater")


def _counters(facts: Facts, race: Race) -> tuple[list[Weighed], bool, bool, int | None]:
    """(pieces, agree, flat, rise of insert_failed)."""
    delta = facts.node.delta
    if delta is None or "insert_failed" not in delta.deltas:
        return [], False, False, None
    rise, lost = delta.deltas["insert_failed"], len(race.collisions)
    evidence = delta_lines(delta)
    if rise == 0 or rise < lost * COUNTER_MATCH_RATIO:
        text = (
            f"insert_failed rose by {rise:,} {delta.between_dumps}, but {lost:,} SYNs were lost: the kernel "
            "counted no collision for most."
        )
        times = [loss.transmission.time_ns for loss, _ in race.collisions]
        around = brackets(facts.node, delta, min(times), max(times))
        reason = "every SYN dropped in the race is counted there"
        if not around:
            reason = "every dropped SYN is counted there, but the dumps were not taken around the losses"
        return (
            [Weighed(FLAT_COUNTERS if around else FLAT_BUT_LATER, text, evidence, reason)],
            False,
            around,
            rise,
        )
    if delta.deltas.get("drop", rise) == 0:
        text = f"insert_failed +{rise:,}, but drop +0: these collisions were resolved without packet loss."
        reason = "kernels with clash resolution count resolved collisions, too (commit 71d8c47fc653)"
        return [Weighed(-1.0, text, evidence, reason)], False, False, rise
    agree = abs(rise - lost) <= max(2, COUNTER_MATCH_RATIO * lost)
    reason = (
        "one failed insertion per lost SYN, counted by the kernel itself"
        if agree
        else "it rose, but not by the number of lost SYNs"
    )
    text = account_in_numbers(delta, lost, "SYNs lost to a collision in the capture")
    return [Weighed(2.2 if agree else 0.8, text, evidence, reason)], agree, False, rise


def _events(facts: Facts, race: Race) -> tuple[list[Weighed], bool]:
    """In an event listing the loser's first SYN leaves no NEW entry; only its retry does."""
    starts: dict[str, list[tuple[str, int, int]]] = {}
    ports = {loss.attempt.client.port for loss, _ in race.collisions}
    for name, entry in facts.node.new_events(ports):
        if entry.time_ns is not None:
            key = f"{entry.original.source}:{entry.original.source_port}"
            starts.setdefault(key, []).append((name, entry.line, entry.time_ns))
    if not starts:
        return [], False
    silent, lines = 0, []
    for loss, _ in race.collisions:
        found = starts.get(str(loss.attempt.client), [])
        before_retry = [
            t
            for _, _, t in found
            if loss.retry and abs(t - loss.transmission.time_ns) < RIVAL_WINDOW_NS * 100
        ]
        after = [
            (name, line)
            for name, line, t in found
            if loss.retry and abs(t - loss.retry.time_ns) < RIVAL_WINDOW_NS * 100
        ]
        if after and not before_retry:
            silent += 1
            lines.extend(after)
    if not silent:
        return [], False
    text = (
        f"conntrack events: {silent:,} of {len(race.collisions):,} clients have a NEW event only for the "
        "retransmission, none for the lost SYN."
    )
    weight = 0.6 * silent / len(race.collisions)
    return [
        Weighed(weight, text, line_evidence(lines), "event output can lose lines, so absence counts little")
    ], silent * 2 > len(race.collisions)


def _retry(race: Race) -> list[Weighed]:
    passed = [
        loss.retry
        for loss, _ in race.collisions
        if loss.retry is not None
        and loss.inside is not None
        and loss.inside[1].number in {s.place.number for s in loss.retry.sightings}
    ]
    changed = [r for r in passed if r.first.source.port != r.last.source.port]
    if not changed:
        return []
    frames = frame_evidence((s.place.input, s.frame) for r in changed for s in r.sightings)
    text = f"The retransmission passed with a new source port in {len(changed):,} of {len(race.collisions):,} cases."
    return [Weighed(0.5, text, frames, "the port was in use by then, as the race predicts")]


def _rules(facts: Facts) -> list[Weighed]:
    source_nat = [(name, r) for name, r in facts.node.nat_rules() if r.target in ("MASQUERADE", "SNAT")]
    plain = [(name, r) for name, r in source_nat if not r.fully_random]
    if plain:
        text = (
            f"The {plain[0][1].target} rule has no --random-fully: the kernel keeps source ports, so two "
            "sources can collide."
        )
        return [
            Weighed(
                0.4,
                text,
                line_evidence((n, r.line) for n, r in plain),
                "needed for the race, but such rules are common",
            )
        ]
    if source_nat:
        text = "Every SNAT rule uses fully random ports: equal source ports do not collide."
        return [
            Weighed(
                FULLY_RANDOM,
                text,
                line_evidence((n, r.line) for n, r in source_nat),
                "two random picks of 64,000 ports rarely collide within microseconds",
            )
        ]
    return []


def _data(facts: Facts, race: Race) -> list[Weighed]:
    quality = facts.quality
    if not quality.data_segments or not race.attempts_total:
        return []
    syn_ratio = len(race.collisions) / race.attempts_total
    ratio = quality.data_retransmission_ratio
    text = (
        f"{quality.data_retransmissions:,} of {quality.data_segments:,} data segments were retransmitted, "
        f"against {plural(len(race.collisions), 'SYN')} of {plural(race.attempts_total, 'connection attempt')}."
    )
    if ratio >= DATA_LOSS_LIKE_SYN_LOSS * syn_ratio:
        return [Weighed(DATA_LOST_TOO, text, _loss_frames(race), "the path loses packets of every kind")]
    return [
        Weighed(
            0.2,
            text,
            _loss_frames(race),
            "only SYNs are lost: NAT processes only the first packet of a connection",
        )
    ]
