"""Two queries of one socket at a service address: the second packet of a flow whose first is still being translated.

Both packets see no conntrack entry and each makes its own; only one can be confirmed, and the other packet is dropped
(net/netfilter/nf_conntrack_core.c, __nf_conntrack_confirm). Resolver libraries send A and AAAA together."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from backend.forensics.cases.case import Case
from backend.forensics.diagnosis.causes.dnat_race.query_remedies import list_query_remedies
from backend.forensics.diagnosis.contract import Hypothesis, Weighed
from backend.forensics.diagnosis.counted import account_in_numbers, brackets, delta_lines
from backend.forensics.diagnosis.queries.rivals import list_rivals
from backend.forensics.diagnosis.queries.trouble import (
    BOTH_SIDES,
    COUNTERS,
    Trouble,
    between,
    collect_troubles,
    lossy,
    lost_frames,
    query_frames,
    story,
    translated,
)
from backend.forensics.evidence.facts import Facts
from backend.forensics.report import MissingPart

PRIOR = -1.5
"""A lost datagram has many causes; that it hits one of two sent at once is what has to be shown."""
COUNTER_MATCH_RATIO = 0.3
FLAT_COUNTERS = -2.0
"""The kernel counts the loser, but kernels that resolve clashes count differently: flat counters leave both this and a
drop by a rule possible (they outweigh the place, and half the pairs)."""
REACHED = -5.0
"""A query that was seen behind the translation was not dropped in it."""
UNTRANSLATED = -3.0
PAIRS_ALONE_CEILING = 0.45
"""Most resolver libraries send all their queries in pairs, so any loss hits one of two: no race was seen."""


def assess_queries(
    facts: Facts, findings: Sequence[Case], cause: str, title: str, references: tuple[str, ...]
) -> list[Hypothesis]:
    """One hypothesis per resolver at which one query of a pair was lost."""
    return [
        _hypothesis(facts, t, cause, title, references)
        for t in collect_troubles(facts, findings)
        if t.of_pairs
    ]


def _hypothesis(
    facts: Facts, trouble: Trouble, cause: str, title: str, references: tuple[str, ...]
) -> Hypothesis:
    lookups = trouble.lookups(trouble.of_pairs)
    agree, flat, counters = _counters(facts, trouble)
    inside = [q for q in trouble.of_pairs if q.where == "inside"]
    pieces = [_pairs(trouble), *_place(trouble), *_address(facts, trouble), *counters, *_order(trouble)]
    pieces += lossy(facts, query_frames(trouble.of_pairs))
    names = ("node-drop", "resolver-unresponsive", "slow-resolver", "path-loss", "conntrack-full")
    return Hypothesis(
        cause=cause,
        title=title,
        role="loss",
        statement=f"{trouble.hurt(lookups)}: one of two queries sent together from one socket was lost.",
        prior=PRIOR,
        steps=tuple(story(trouble, lookups, trouble.of_pairs)),
        weighed=tuple(pieces),
        both_sides=bool(inside) and len(inside) == len(trouble.of_pairs),
        independent=agree,
        signs=int(agree) + int(bool(inside)),
        findings=trouble.findings,
        time_lost_s=trouble.lost_s(lookups),
        rivals=list_rivals(facts, trouble, trouble.of_pairs, *names, counted=agree, flat=flat),
        missing=tuple(_missing(facts, trouble, bool(inside))),
        remedies=tuple(list_query_remedies(facts)),
        references=references,
        refutation=(
            "it would be refuted by the lost query captured at the resolver, or by loss of "
            "both queries of a pair"
        ),
        figures=trouble.figures(lookups),
        impact=trouble.impact(lookups),
        explains=lost_frames(trouble.of_pairs),
        ceiling=0.999 if inside or agree or translated(facts, trouble)[0] else PAIRS_ALONE_CEILING,
    )


def _pairs(trouble: Trouble) -> Weighed:
    lost, of_pairs = trouble.lost, trouble.of_pairs
    gap_us = median(q.pair_ns or 0 for q in of_pairs) / 1000
    text = (
        f"{len(of_pairs):,} of {len(lost):,} lost queries were one of two open on the same "
        f"socket, {gap_us:,.0f} µs apart "
        "(median): the other was answered, and so was the lost one when it was retried."
    )
    weight = 1.8 * len(of_pairs) / len(lost)
    reason = (
        "a race needs two packets of one flow; random loss affects single queries and whole pairs as well"
    )
    return Weighed(weight, text, query_frames(of_pairs, pairs=True), reason)


def _place(trouble: Trouble) -> list[Weighed]:
    inside = [q for q in trouble.of_pairs if q.where == "inside"]
    beyond = [q for q in trouble.lost if q.where in ("reached", "return")]
    pieces = []
    if inside:
        inner, outer = between(inside)
        text = (
            f"{len(inside):,} of {len(trouble.of_pairs):,} were captured on {inner} and absent on "
            f"{outer}, where the other query of their socket passed."
        )
        weight = 1.5 * len(inside) / len(trouble.of_pairs)
        reason = "the drop happens at the DNAT of the service address"
        pieces.append(Weighed(weight, text, query_frames(inside, pairs=True), reason))
    if len(beyond) * 2 > len(trouble.lost):
        text = f"{len(beyond):,} of {len(trouble.lost):,} lost queries were captured further on, or answered there."
        pieces.append(Weighed(REACHED, text, query_frames(beyond), "a dropped packet cannot pass"))
    return pieces


def _address(facts: Facts, trouble: Trouble) -> list[Weighed]:
    rewritten, frames = translated(facts, trouble)
    if rewritten:
        text = f"{trouble.target} is a service address: the same query is captured with the address of a backend."
        return [Weighed(0.5, text, frames, "only a translated flow can collide in NAT")]
    if rewritten is False:
        text = f"{trouble.target} is unchanged on both sides: no NAT between them."
        return [Weighed(UNTRANSLATED, text, frames, "without NAT two packets of one flow do not collide")]
    return []


def _counters(facts: Facts, trouble: Trouble) -> tuple[bool, bool, list[Weighed]]:
    """(agree, flat around the losses, pieces)."""
    delta = facts.node.delta
    if delta is None or "insert_failed" not in delta.deltas:
        return False, False, []
    rise, lost = delta.deltas["insert_failed"], len(trouble.of_pairs)
    evidence = delta_lines(delta)
    around = brackets(facts.node, delta, trouble.of_pairs[0].time_ns, trouble.of_pairs[-1].time_ns)
    if rise < lost * COUNTER_MATCH_RATIO:
        text = (
            f"insert_failed rose by {rise:,} {delta.between_dumps}, but {lost:,} queries of pairs were lost."
        )
        weight = FLAT_COUNTERS if around else FLAT_COUNTERS / 4
        reason = "the dropped packet of the race is counted there" + (
            "" if around else "; read at another time"
        )
        return False, around, [Weighed(weight, text, evidence, reason)]
    agree = abs(rise - lost) <= max(2, COUNTER_MATCH_RATIO * lost)
    text = account_in_numbers(delta, lost, "queries of pairs lost in the capture")
    reason = (
        "one failed insertion per lost query" if agree else "it rose, but not by the number of lost queries"
    )
    return agree, False, [Weighed(2.2 if agree else 0.8, text, evidence, reason)]


def _order(trouble: Trouble) -> list[Weighed]:
    later = [q for q in trouble.of_pairs if q.second_of_pair]
    if len(later) < len(trouble.of_pairs) or len(later) < 3:
        return []
    text = f"In all {len(later):,} pairs the later query was the lost one."
    reason = "the later packet finds the entry unconfirmed; a rule for the second packet does the same"
    return [Weighed(0.3, text, query_frames(later, pairs=True), reason)]


def _missing(facts: Facts, trouble: Trouble, located: bool) -> list[MissingPart]:
    missing: list[MissingPart] = []
    if facts.node.delta is None:
        missing.append(COUNTERS)
    if not located:
        missing.append(BOTH_SIDES)
    what = "The kernel version: it shows whether the fix for two packets of one socket is included"
    return [*missing, MissingPart(what=what, command="uname -r")]
