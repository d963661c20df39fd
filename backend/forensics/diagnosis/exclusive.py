"""Causes that exclude each other for the same connection or packet: the one with less support yields."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from backend.forensics.diagnosis.account import Settled
from backend.forensics.diagnosis.contract import POSSIBLE_ABOVE, Hypothesis, weigh
from backend.forensics.evidence.attempts.delays import Frame
from backend.forensics.evidence.facts import Facts

LOSES_A_SYN = frozenset(
    (
        "bridge-netfilter-off",
        "cloud-snat-exhaustion",
        "conntrack-full",
        "dead-backend",
        "dead-path",
        "endpoint-gone",
        "firewall-drop",
        "hairpin",
        "ipvs-port-reuse",
        "ipvs-stale-destination",
        "listen-overflow",
        "no-local-endpoint",
        "node-drop",
        "overlay-bad-checksum",
        "path-loss",
        "paws-or-timestamp-drop",
        "return-path-loss",
        "snat-port-exhaustion",
        "snat-port-race",
        "stale-neighbor",
        "target-unresponsive",
        "time-wait-collision",
    )
)
"""Each says where the SYN of a connection, or its answer, was lost: it was lost once."""
SUPPORTED_FROM = 0.5
YIELDED_CEILING = 0.49
"""Below even odds: another cause has more support for what this one is about."""


KEPT_SHARE = 0.5
"""A cause of delay that keeps less than this share of its packets is that of others'."""


def yield_to_stronger(settled: Sequence[Settled]) -> list[Settled]:
    """`settled` has the surest first. A cause keeps what no surer one explains; without any it yields."""
    return _yield_packets(_yield_attempts(settled))


def _yield_packets(settled: Sequence[Settled]) -> list[Settled]:
    """A packet is lost once: a cause of loss yields when a surer one explains any of the same. Causes of delay share
    some packets of a finding and yield when little is left."""
    explained: dict[Frame, str] = {}
    kept = []
    for each in settled:
        hypothesis = each.hypothesis
        if hypothesis.explains and weigh(hypothesis)[0] >= SUPPORTED_FROM:
            own = {f for f in hypothesis.explains if explained.get(f, hypothesis.cause) == hypothesis.cause}
            least = 1.0 if hypothesis.role == "loss" else KEPT_SHARE
            if len(own) < least * len(hypothesis.explains):
                ceiling = min(hypothesis.ceiling, YIELDED_CEILING)
                each = replace(each, hypothesis=replace(hypothesis, ceiling=ceiling))
            else:
                explained.update(dict.fromkeys(own, hypothesis.cause))
        kept.append(each)
    return kept


def _yield_attempts(settled: Sequence[Settled]) -> list[Settled]:
    explained: dict[int, str] = {}
    kept = []
    for each in settled:
        hypothesis = each.hypothesis
        if hypothesis.cause in LOSES_A_SYN and weigh(hypothesis)[0] >= SUPPORTED_FROM:
            own = tuple(
                n for n in hypothesis.attempts if explained.get(n, hypothesis.cause) == hypothesis.cause
            )
            if own or not hypothesis.attempts:
                hypothesis = replace(hypothesis, attempts=own)
                explained.update(dict.fromkeys(own, hypothesis.cause))
            else:
                hypothesis = replace(hypothesis, ceiling=min(hypothesis.ceiling, YIELDED_CEILING))
            each = replace(each, hypothesis=hypothesis)
        kept.append(each)
    return kept


def leave_accidents(facts: Facts, hypotheses: Sequence[Hypothesis]) -> list[Hypothesis]:
    """One lost SYN that was not followed, and that no other source shows, has no known cause."""
    return [
        replace(h, ceiling=min(h.ceiling, POSSIBLE_ABOVE)) if _is_accident(facts, h) else h
        for h in hypotheses
    ]


def is_one_lost_syn(facts: Facts, links: Sequence[int]) -> bool:
    """These connections lost one SYN in all."""
    return len(links) == 1 and facts.losses_of_link.get(links[0], 0) == 1


def _is_accident(facts: Facts, hypothesis: Hypothesis) -> bool:
    located = hypothesis.both_sides or hypothesis.independent or hypothesis.signs > 0
    return hypothesis.cause in LOSES_A_SYN and not located and is_one_lost_syn(facts, hypothesis.attempts)
