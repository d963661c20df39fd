"""Path loss as lookups show it: queries that left one vantage point and did not reach the next, with the path
between."""

from __future__ import annotations

from collections.abc import Sequence

from backend.forensics.cases.case import Case
from backend.forensics.diagnosis.contract import Hypothesis, Weighed
from backend.forensics.diagnosis.counted import delta_lines
from backend.forensics.diagnosis.queries.rivals import list_rivals
from backend.forensics.diagnosis.queries.trouble import (
    AT_RESOLVER,
    Trouble,
    between,
    collect_troubles,
    lossy,
    lost_frames,
    one_node,
    query_frames,
    story,
    translated,
)
from backend.forensics.evidence.dns.lost_queries import LostQuery
from backend.forensics.evidence.facts import Facts
from backend.forensics.findings import plural
from backend.forensics.report import MissingPart, RemedyPart

PRIOR = -1.4
"""Seldom on a data centre's wire, and what lies between two captures is more than a wire."""
COUNTED_RATIO = 0.5
RIVALS = ("node-drop", "dnat-race", "resolver-unresponsive", "slow-resolver", "conntrack-full")


def query_hypotheses(
    facts: Facts, findings: Sequence[Case], *, cause: str, title: str, references: tuple[str, ...]
) -> list[Hypothesis]:
    """One per resolver to which queries were lost between two captures, untranslated and answered when put again."""
    found = []
    for trouble in collect_troubles(facts, findings):
        apart = [q for q in trouble.inside if not one_node(facts, q)]
        if apart and not translated(facts, trouble)[0]:
            found.append(_hypothesis(facts, trouble, apart, cause, title, references))
    return found


def _hypothesis(
    facts: Facts,
    trouble: Trouble,
    apart: list[LostQuery],
    cause: str,
    title: str,
    references: tuple[str, ...],
) -> Hypothesis:
    lookups, (inner, outer) = trouble.lookups(apart), between(apart)
    pieces = [_place(apart), *_singles(apart), *_counted(facts, apart), *lossy(facts, query_frames(apart))]
    return Hypothesis(
        cause=cause,
        title=title,
        role="loss",
        statement=f"{trouble.hurt(lookups)}: their queries were lost between {inner} and {outer}.",
        prior=PRIOR,
        steps=tuple(story(trouble, lookups, apart)),
        weighed=tuple(pieces),
        both_sides=True,
        independent=False,
        signs=1,
        findings=trouble.findings,
        time_lost_s=trouble.lost_s(lookups),
        rivals=list_rivals(facts, trouble, apart, *RIVALS),
        missing=(_HOPS, AT_RESOLVER),
        remedies=_REMEDIES,
        references=references,
        refutation="it would be refuted by the lost queries in a capture at the resolver",
        figures=trouble.figures(lookups),
        impact=trouble.impact(lookups),
        explains=lost_frames(apart),
        ceiling=trouble.ceiling,
    )


def _place(apart: Sequence[LostQuery]) -> Weighed:
    inner, outer = between(apart)
    lost = plural(len(apart), "query", "queries")
    text = f"{lost} seen on {inner}, absent on {outer}, another capture, where others pass."
    reason = "the path is between the two, and each query was answered when it was retried"
    return Weighed(1.9, text, query_frames(apart), reason)


def _singles(apart: Sequence[LostQuery]) -> list[Weighed]:
    alone = [q for q in apart if not (q.pair_ns is not None and q.pair_answered and q.second_of_pair)]
    if len(alone) * 4 < len(apart):
        return []
    text = f"{len(alone):,} of {len(apart):,} were not the second query of a socket whose first one was answered."
    return [Weighed(0.4, text, query_frames(alone), "random loss does not prefer the second of two")]


def _counted(facts: Facts, apart: Sequence[LostQuery]) -> list[Weighed]:
    delta = facts.node.delta
    if delta is None or "insert_failed" not in delta.deltas:
        return []
    counted = max(delta.deltas["insert_failed"], delta.deltas.get("drop", 0))
    if counted < COUNTED_RATIO * len(apart):
        return []
    lost = plural(len(apart), "query", "queries")
    text = f"conntrack counted {plural(counted, 'drop')} {delta.between_dumps}, {lost} lost here."
    return [Weighed(-4.0, text, delta_lines(delta), "a packet dropped by conntrack was not lost on the path")]


_HOPS = MissingPart(what="Loss per hop of the path", command="mtr -rwc 100 HOST")
_REMEDIES = (
    RemedyPart(
        what="Find the lossy hop: compare loss per hop, then the drop counters of the interfaces around it",
        command="mtr -rwc 100 HOST",
        applies_to="the network between the client's node and the resolver",
        check="ip -s link; tc -s qdisc; ethtool -S eth0 | grep -iE 'drop|err|miss'",
        proof="capture port 53 for 60 s again: every query is captured on both sides",
        undo="Not needed: read-only",
        side_effect="routers rate-limit ICMP: loss at a single intermediate hop is not real",
    ),
)
