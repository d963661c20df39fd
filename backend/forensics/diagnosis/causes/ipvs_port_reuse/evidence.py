"""What speaks for and against a drop by IPVS, with the weight of each piece and its reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from backend.forensics.cases.case import Case
from backend.forensics.diagnosis.contract import Weighed
from backend.forensics.diagnosis.counted import delta_lines
from backend.forensics.diagnosis.ipvs_settings import IpvsSettings, read_settings
from backend.forensics.diagnosis.victims import Victims, describe_victims, group_by_server
from backend.forensics.dumps import VirtualService
from backend.forensics.evidence.absence.losses import ANSWERED, Loss
from backend.forensics.evidence.attempts.attempts import Endpoint, RetriedAttempt
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.nat.port_reuse import ReusedTuple, describe_reuse
from backend.forensics.findings import frame_evidence, line_evidence, seconds_text
from backend.forensics.report import EvidencePart
from backend.forensics.significance import fisher_exact_p
from backend.forensics.wording import p_text

SIGNIFICANT_P = 0.01
LEAST_ATTEMPTS = 3
TIME_WAIT_S = 125.0
"""IPVS keeps a closed connection for 120 s (`ipvsadm -L --timeout`, tcpfin; ip_vs_proto_tcp.c), and looks every now and
then."""
PASSES_RATIO = 0.9
FAILS_RATIO = 0.5
FAST_RETRY_S = (0.9, 3.2)
"""The first retry of a client that got no answer: 1 s, 3 s on old systems."""


@dataclass(frozen=True)
class Drops:
    """SYNs on used tuples towards one destination that were lost, and what dumps say of that destination."""

    victims: Victims
    losses: tuple[Loss, ...]
    """The first SYN of each attempt."""
    reused: dict[int, ReusedTuple]
    services: tuple[tuple[str, VirtualService], ...]
    listed_elsewhere: tuple[tuple[str, VirtualService], ...]
    """Virtual services of the listings when this destination is none of them."""
    rewritten: int
    """Losses at a place where the destination of this client's other SYNs is rewritten and the source kept."""
    p_value: float
    fresh_delayed: int
    fresh_total: int

    @property
    def located(self) -> int:
        return sum(loss.inside is not None for loss in self.losses)

    @property
    def between(self) -> tuple[str, str]:
        pairs = [(x.inside[0].word, x.inside[1].word) for x in self.losses if x.inside]
        return max(sorted(set(pairs)), key=pairs.count)

    @property
    def gap_median_s(self) -> float:
        return median(r.gap_ns for r in self.reused.values()) / 1e9

    @property
    def inactive_figure(self) -> tuple[tuple[str, str], ...]:
        """Closed connections that IPVS remembers at most: high is healthy, near the client's port count it is not."""
        sums = [sum(r.inactive or 0 for r in s.real_servers) for _, s in self.services]
        return (("InActConn", f"{max(sums):,}"),) if any(sums) else ()


@dataclass(frozen=True)
class WeighedDrops:
    """`ipvs_seen`: a dump shows that IPVS runs there."""

    pieces: tuple[Weighed, ...]
    ipvs_seen: bool
    service_listed: bool
    mode_drops: bool


def collect_drops(facts: Facts, findings: Sequence[Case]) -> list[Drops]:
    """By destination: at least three lost SYNs on used tuples. One that was answered, even by an ACK of another
    connection, was not dropped; one whose answer was seen was not, either."""
    table, reuse = facts.attempts.table, facts.port_reuse
    again = set(table["link"][reuse.reused & (table["transmissions"] > 1)].tolist())
    if len(again) < LEAST_ATTEMPTS:
        return []
    seen = facts.losses.attempt[facts.losses.is_kind(*ANSWERED)]
    answered = set(facts.attempts.retried.link[seen].tolist()) | facts.challenges.keys()
    attempts = [a for a in facts.attempts.retried if a.link in again and a.link not in answered]
    first = {x.attempt.link: x for x in reversed(facts.losses)}
    groups = [g for g in group_by_server(attempts) if len(g) >= LEAST_ATTEMPTS]
    return [_drops(facts, findings, group, first) for group in groups]


def _drops(
    facts: Facts,
    findings: Sequence[Case],
    attempts: tuple[RetriedAttempt, ...],
    first: dict[int, Loss],
) -> Drops:
    victims = describe_victims(facts, findings, attempts)
    table = facts.attempts.table
    rows = np.flatnonzero(np.isin(table["link"], np.array(victims.links, np.int64)))
    known = describe_reuse(facts.captures, facts.attempts, facts.port_reuse, rows, facts.node.dumps)
    losses = tuple(first[a.link] for a in attempts if a.link in first)
    services, others = _services(facts, victims.server)
    fresh_total, fresh_delayed, p_value = _compare(facts, victims.server)
    rewritten = sum(loss.inside is not None and _only_destination(loss) for loss in losses)
    return Drops(
        victims,
        losses,
        {r.link: r for r in known},
        services,
        others,
        rewritten,
        p_value,
        fresh_delayed,
        fresh_total,
    )


Services = tuple[tuple[str, VirtualService], ...]


def _services(facts: Facts, server: Endpoint) -> tuple[Services, Services]:
    """(listings of this destination, those of others when it is in none)."""
    every = [(d.input, s) for d in facts.node.dumps for s in d.dump.services]
    mine = tuple(
        (n, s)
        for n, s in every
        if s.address
        and s.protocol == "TCP"
        and str(server) in (f"{s.address}:{s.port}", f"[{s.address}]:{s.port}")
    )
    return mine, () if mine else tuple(every)


def _only_destination(loss: Loss) -> bool:
    """Joined over IPVS by what its NAT keeps: the client's address, port and sequence number."""
    sent = loss.retry
    if sent is None or len(sent.sightings) < 2:
        return loss.rewritten
    return sent.first.source == sent.last.source and sent.first.destination != sent.last.destination


def _compare(facts: Facts, server: Endpoint) -> tuple[int, int, float]:
    """(fresh tuples, those that suffered, p of Fisher's exact test that reused ones suffer more by chance)."""
    reuse, here = facts.port_reuse, facts.attempts.rows_to(server)
    used, hit = reuse.reused[here], reuse.suffered[here]
    again, fresh = ((int(np.sum(of & hit)), int(np.sum(of & ~hit))) for of in (used, ~used))
    return sum(fresh), fresh[0], fisher_exact_p((again, fresh), "greater")


def weigh_drops(facts: Facts, found: Drops) -> WeighedDrops:
    """All pieces, in the order in which they convince."""
    settings = read_settings(facts.node)
    drops, settings_pieces = _settings(settings)
    listed = any(r.listed for r in found.reused.values()) or any(
        len(d.dump.ipvs_connections) for d in facts.node.dumps
    )
    pieces = [
        *_tuples(found),
        *_place(found),
        *_service(found),
        *settings_pieces,
        *_retries(found),
        *_gaps(found),
        *_counters(facts, found),
        *_kernel(settings),
    ]
    seen = bool(found.services) or listed or settings.reuse_mode is not None
    return WeighedDrops(tuple(pieces), seen, bool(found.services), drops)


def _frames(found: Drops) -> list[EvidencePart]:
    return frame_evidence((s.place.input, s.frame) for x in found.losses for s in x.transmission.sightings)


def _tuples(found: Drops) -> list[Weighed]:
    text = (
        f"{len(found.losses):,} SYNs on reused 5-tuples were lost, against {found.fresh_delayed:,} "
        f"of {found.fresh_total:,} on unused ones (Fisher"
        f"'s exact test, {p_text(found.p_value)})."
    )
    if found.p_value < SIGNIFICANT_P:
        return [Weighed(1.5, text, _frames(found), "the drop depends on the 5-tuple; chance is excluded")]
    reason = "the drop does not depend on the 5-tuple"
    return [Weighed(-3.5, text, _frames(found), reason)]


def _place(found: Drops) -> list[Weighed]:
    if not found.located:
        return []
    share = found.rewritten / len(found.losses)
    if not share:
        text = "The lost SYNs were lost where no destination is rewritten."
        return [Weighed(-2.0, text, _frames(found), "IPVS with NAT rewrites the destination")]
    inner, outer = found.between
    text = (
        f"SYN seen at {inner}, absent at {outer}, where other SYNs of that client arrive with another destination: "
        f"{found.rewritten:,} of {len(found.losses):,}, joined by client address, port and sequence number."
    )
    return [
        Weighed(
            1.7 * share, text, _frames(found), "the loss is between the service address and the real server"
        )
    ]


def _service(found: Drops) -> list[Weighed]:
    if found.services:
        lines = line_evidence((name, s.line) for name, s in found.services)
        text = f"{found.victims.target} is an IPVS virtual service."
        return [Weighed(1.1, text, lines, "without IPVS on the path it cannot be the cause")]
    if found.listed_elsewhere:
        lines = line_evidence((name, s.line) for name, s in found.listed_elsewhere)
        text = f"{found.victims.target} is not among the IPVS virtual services."
        return [Weighed(-4.0, text, lines, "IPVS does not touch other destinations")]
    return []


def _settings(settings: IpvsSettings) -> tuple[bool, list[Weighed]]:
    """(whether the settings make IPVS drop such SYNs, pieces)."""
    if settings.reuse_mode is None:
        return False, []
    mode, line = settings.reuse_mode
    if mode == 0:
        text = "net.ipv4.vs.conn_reuse_mode = 0: IPVS reuses the old entry and drops nothing."
        return False, [Weighed(-6.0, text, line_evidence([line]), "with 0 the dropping code is not reached")]
    if settings.conntrack is not None and settings.conntrack[0] == 0:
        text = "net.ipv4.vs.conntrack = 0: the entry expires and the SYN is rescheduled immediately."
        evidence = line_evidence(settings.lines)
        return False, [Weighed(-4.0, text, evidence, "only entries with conntrack make IPVS drop the SYN")]
    if settings.conntrack is None:
        text = f"net.ipv4.vs.conn_reuse_mode = {mode}; net.ipv4.vs.conntrack is unknown."
        return False, [Weighed(0.3, text, line_evidence([line]), "one of two settings that the drop needs")]
    text = f"net.ipv4.vs.conn_reuse_mode = {mode} and net.ipv4.vs.conntrack = 1: together they drop the first SYN."
    evidence = line_evidence(settings.lines)
    return True, [
        Weighed(0.9, text, evidence, "needed for the drop; no evidence by itself, most kernels pass")
    ]


def _retries(found: Drops) -> list[Weighed]:
    total = len(found.victims.attempts)
    passed = found.victims.passed
    retries = [x.retry for x in found.losses if x.retry is not None]
    frames = frame_evidence((s.place.input, s.frame) for r in retries for s in r.sightings)
    if passed <= FAILS_RATIO * total:
        text = f"Only {passed} of {total} opened: the retransmissions of the others were lost, too."
        reason = (
            "the drop removes the old entry, so the retransmission passes; otherwise the real server "
            "is dead or removed"
        )
        return [Weighed(-5.0, text, frames or _frames(found), reason)]
    gaps_s = [(x.retry.time_ns - x.transmission.time_ns) / 1e9 for x in found.losses if x.retry is not None]
    text = f"The retransmission passed in {passed} of {total} cases, {seconds_text(median(gaps_s))} later (median)."
    weight = 0.7 if passed >= PASSES_RATIO * total else 0.2
    pieces = [Weighed(weight, text, frames, "the drop removes the old entry, so the retransmission passes")]
    slow = sum(FAST_RETRY_S[0] <= gap <= FAST_RETRY_S[1] for gap in gaps_s)
    if slow * 2 < len(gaps_s):
        text = f"{len(gaps_s) - slow:,} of {len(gaps_s):,} SYNs were retransmitted after a time other than 1 or 3 s."
        reason = "a silently dropped SYN is retransmitted only by the timer"
        pieces.append(Weighed(-2.0, text, frames, reason))
    return pieces


def _gaps(found: Drops) -> list[Weighed]:
    gaps_s = [r.gap_ns / 1e9 for r in found.reused.values()]
    frames = frame_evidence((r.place.input, f) for r in found.reused.values() for f in r.frames)
    lines = line_evidence(r.listed for r in found.reused.values() if r.listed is not None)
    late = sum(gap > TIME_WAIT_S for gap in gaps_s)
    if late * 2 > len(gaps_s):
        text = f"{late:,} of {len(gaps_s):,} came more than {TIME_WAIT_S:g} s after the earlier connection ended."
        return [
            Weighed(
                -5.0, text, [*frames, *lines], "the IPVS entry of a closed connection has expired by then"
            )
        ]
    text = f"The earlier connections had ended {seconds_text(min(gaps_s))} to {seconds_text(max(gaps_s))} before."
    return [Weighed(0.3, text, [*frames, *lines], "IPVS keeps closed connections for 120 s")]


def _counters(facts: Facts, found: Drops) -> list[Weighed]:
    delta = facts.node.delta
    if delta is None or "insert_failed" not in delta.deltas:
        return []
    rise, lost = delta.deltas["insert_failed"], len(found.losses)
    if rise * 2 >= lost:
        text = f"insert_failed rose by {rise:,}, {lost:,} SYNs were lost: conntrack dropped them."
        return [Weighed(-3.0, text, delta_lines(delta), "IPVS drops before conntrack stores anything")]
    text = f"insert_failed +{rise:,} {delta.between_dumps}, {lost:,} SYNs lost: not dropped by conntrack."
    return [Weighed(0.3, text, delta_lines(delta), "flat counters fit IPVS and contradict SNAT")]


def _kernel(settings: IpvsSettings) -> list[Weighed]:
    """A release with the fix does not refute what packets show: modules and vendors differ."""
    if settings.kernel is None or settings.kernel_fixed is not False:
        return []
    release, line = settings.kernel
    text = f"Kernel {release}: by its number without commit f0a5e4d7a594, which ends the drop."
    return [Weighed(0.3, text, line_evidence([line]), "distributions backport fixes, so it counts little")]
