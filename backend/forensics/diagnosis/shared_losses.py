"""Losses that share a host or a vantage point are one verdict that names what they share.

A lossy link shows in SYNs and in data, in both directions and towards every server behind it: each of these is a
hypothesis of its own, and a reader needs one answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import and_, or_

from backend.forensics.cases.case import Case, host_of
from backend.forensics.diagnosis.account import Settled
from backend.forensics.diagnosis.contract import (
    POSSIBLE_ABOVE,
    STATEMENT_LONGEST,
    TIME_LOST,
    weigh,
)
from backend.forensics.diagnosis.exclusive import SUPPORTED_FROM
from backend.forensics.findings import seconds_text
from backend.forensics.report import ClaimPart, MissingPart
from backend.forensics.report_impact import summed

FAMILY = {
    "node-drop": "node-drop",
    "path-loss": "path",
    "path-mtu": "path-mtu",
    "receiver-drop": "receiver-drop",
    "return-path-loss": "path",
}
"""Causes that lose whatever passes one place, and the name that those of one place have in common."""
HOSTS_NAMED = 3


@dataclass(frozen=True)
class _Ends:
    """Hosts that a loss touches."""

    asked: frozenset[str] = frozenset()
    """Those that were connected to."""
    asking: frozenset[str] = frozenset()

    def __or__(self, other: _Ends) -> _Ends:
        return _Ends(self.asked | other.asked, self.asking | other.asking)

    def __and__(self, other: _Ends) -> _Ends:
        return _Ends(self.asked & other.asked, self.asking & other.asking)


def merge_shared(settled: Sequence[Settled], findings: Sequence[Case]) -> list[Settled]:
    """`settled` has the surest first. Each group of losses that share something becomes its leading hypothesis."""
    of_finding = {finding.id: _ends(finding) for finding in findings}
    ends = {
        id(s): _together(of_finding.get(name, _Ends()) for name in s.hypothesis.findings) for s in settled
    }
    groups: list[tuple[str, list[Settled], frozenset[str]]] = []
    for each in settled:
        family = FAMILY.get(each.hypothesis.cause)
        if family is None or weigh(each.hypothesis)[0] <= POSSIBLE_ABOVE:
            continue
        mine = ends[id(each)]
        words = each.hypothesis.places | mine.asked | mine.asking
        touched = [g for g in groups if g[0] == family and g[2] & words]
        groups = [g for g in groups if g not in touched]
        members = [member for g in touched for member in g[1]]
        groups.append((family, [*members, each], words.union(*(g[2] for g in touched))))
    several = [members for _, members, _ in groups if len(members) > 1]
    merged = {id(_leading(members)): _merged(members, ends) for members in several}
    gone = {id(member) for members in several for member in members} - merged.keys()
    return [merged.get(id(each), each) for each in settled if id(each) not in gone]


def _together(parts: Iterable[_Ends]) -> _Ends:
    return reduce(or_, parts, _Ends())


def _ends(finding: Case) -> _Ends:
    return _Ends(
        frozenset(host_of(flow.destination) for flow in finding.flows if flow.destination),
        frozenset(host_of(flow.source) for flow in finding.flows if flow.source),
    )


def _leading(members: Sequence[Settled]) -> Settled:
    """The surest. Where all that is lost for certain comes back from servers, it is the way back that loses."""
    certain = [m for m in members if weigh(m.hypothesis)[0] >= SUPPORTED_FROM]
    back = [m for m in certain if m.hypothesis.cause == "return-path-loss"]
    if back and all(m.hypothesis.returning for m in certain):
        return back[0]
    return next((m for m in certain if m not in back), members[0])


def _merged(members: Sequence[Settled], ends: dict[int, _Ends]) -> Settled:
    lead = _leading(members)
    base, others = lead.hypothesis, [m for m in members if m is not lead]
    added = [m for m in others if _is_more(m)]
    lost_s = base.time_lost_s + sum(m.hypothesis.time_lost_s for m in added)
    hypothesis = replace(
        base,
        findings=tuple(dict.fromkeys(name for m in members for name in m.hypothesis.findings)),
        time_lost_s=lost_s,
        missing=_once([*base.missing, *(part for m in added for part in m.hypothesis.missing)]),
        figures=tuple((n, seconds_text(lost_s) if n == TIME_LOST else value) for n, value in base.figures),
        attempts=tuple(sorted({link for m in members for link in m.hypothesis.attempts})),
        explains=base.explains.union(*(m.hypothesis.explains for m in others)),
        impact=summed([base.impact, *(m.hypothesis.impact for m in added if m.taken)]),
    )
    if added:
        shared = _shared_words([lead, *added], ends)
        first = ClaimPart(
            role="step", text=f"These losses share {shared}.", evidence=list(base.steps[0].evidence)
        )
        hypothesis = replace(
            hypothesis,
            statement=_statement(base.statement, f" Losses of {len(added) + 1:,} findings share {shared}."),
            steps=(first, *base.steps, *map(_step, added)),
        )
    return Settled(hypothesis, lead.taken.union(*(m.taken for m in others)))


def _statement(statement: str, share: str) -> str:
    """What is shared outranks the detail behind the colon."""
    for said in (statement, f"{statement.partition(': ')[0].rstrip('.')}."):
        if len(said) + len(share) <= STATEMENT_LONGEST:
            return f"{said}{share}"
    return statement


def _once(parts: Sequence[MissingPart]) -> tuple[MissingPart, ...]:
    return tuple({part.command: part for part in reversed(parts)}.values())[::-1]


def _is_more(settled: Settled) -> bool:
    """It is about more than attempts that a surer one took, or shows where their answers were lost."""
    hypothesis = settled.hypothesis
    return bool(settled.taken) or not hypothesis.attempts or hypothesis.cause == "return-path-loss"


def _step(settled: Settled) -> ClaimPart:
    """What it adds: its statement, or, where its connections are counted already, where their answers were lost."""
    hypothesis = settled.hypothesis
    pieces = [piece for piece in hypothesis.weighed if piece.weight > 0 and piece.evidence]
    if hypothesis.attempts and not settled.taken and pieces:
        return ClaimPart(role="step", text=pieces[0].text, evidence=list(pieces[0].evidence))
    evidence = list(pieces[0].evidence) if pieces else list(hypothesis.steps[0].evidence)
    return ClaimPart(role="step", text=hypothesis.statement, evidence=evidence)


def _shared_words(members: Sequence[Settled], ends: dict[int, _Ends]) -> str:
    """``the host 192.0.2.1``, ``the path between …``, or the vantage point at which the path loses them."""
    common = reduce(and_, (ends[id(m)] for m in members))
    if len(common.asked) == len(common.asking) == 1:
        return f"the path between {min(common.asking)} and {min(common.asked)}"
    hosts = sorted(common.asked or common.asking)
    if hosts:
        more = f" and {len(hosts) - HOSTS_NAMED:,} more" if len(hosts) > HOSTS_NAMED else ""
        return f"the host{'s' if len(hosts) > 1 else ''} {', '.join(hosts[:HOSTS_NAMED])}{more}"
    places = reduce(and_, (m.hypothesis.places for m in members))
    if places:
        return f"the path at {min(places)}"
    each = [ends[id(m)].asked | ends[id(m)].asking for m in members]
    counted = Counter(word for words in each for word in words)
    return f"the host {min(counted, key=lambda word: (-counted[word], word))}"
