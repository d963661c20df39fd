"""A search list turns one name into several: each needs queries, and each query can be lost or late."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from backend.forensics.cases.case import Case
from backend.forensics.connections import NEVER
from backend.forensics.diagnosis.alternatives import Alternative
from backend.forensics.diagnosis.contract import Hypothesis, Weighed
from backend.forensics.diagnosis.queries.trouble import Trouble, collect_troubles, query_frames, story
from backend.forensics.evidence.clocks.sightings import Ints
from backend.forensics.evidence.dns.delayed import LATE_NS, DelayedLookup
from backend.forensics.evidence.dns.lookups import NXDOMAIN
from backend.forensics.evidence.facts import Facts
from backend.forensics.findings import frame_evidence, plural
from backend.forensics.report import EvidencePart, MissingPart, RemedyPart

CAUSE = "search-list-expansion"
TITLE = "Search list expansion (ndots)"
ALTERNATIVES: Final = (
    Alternative(
        "A slow resolver", "single queries take long; here each is quick and there are several for one name"
    ),
    Alternative("A name that does not exist", "all of its queries get NXDOMAIN, the last as well"),
)
COLLECT: Final = (
    MissingPart(
        what="The search list and ndots of the pods", command="kubectl exec POD -- cat /etc/resolv.conf"
    ),
)
PRIOR = -1.5
NAME_ERRORS_RATIO = 0.5
"""Of a name with four tries three fail: NXDOMAIN to NOERROR comes to about 3 (Kubernetes' `ndots:5`)."""
EXPANDED_RATIO = 0.5
PROOF = "capture port 53 for 60 s again: one name per lookup"

REFERENCES = (
    "resolv.conf(5): a name with fewer dots than `ndots` is tried with each suffix of `search` first",
    "Kubernetes, DNS for Services and Pods: pods get `ndots:5` and three or more search domains",
)


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per resolver whose delayed lookups waited for names that do not exist."""
    found = []
    for trouble in collect_troubles(facts, findings):
        hurt = [one for one in trouble.resolver.delayed if _in_vain(trouble, one)]
        if hurt:
            found.append(_hypothesis(facts, trouble, hurt))
    return found


def _in_vain(trouble: Trouble, one: DelayedLookup) -> list[int]:
    """Questions of this lookup that waited for a name which does not exist, and after which another was tried."""
    rows = trouble.dns.exchanges.rows
    if one.names < 2:
        return []
    if one.why == {"many names"}:
        return [q for q in one.questions if rows["rcode"][q] == NXDOMAIN]
    last = int(rows["name"][one.questions[-1]])
    return [
        q
        for q in one.questions
        if int(rows["name"][q]) != last
        and (rows["sent"][q] > 1 or _wait_ns(rows, q) >= LATE_NS or _silent(rows, q))
    ]


def _silent(rows: np.ndarray[tuple[int], np.dtype[np.void]], question: int) -> bool:
    return bool(rows["answer_ns"][question] == NEVER)


def _wait_ns(rows: np.ndarray[tuple[int], np.dtype[np.void]], question: int) -> int:
    until = max(int(rows["answer_ns"][question]), int(rows["last_sent_ns"][question]))
    return until - int(rows["start_ns"][question])


def _hypothesis(facts: Facts, trouble: Trouble, hurt: list[DelayedLookup]) -> Hypothesis:
    resolver = trouble.resolver
    questions = [q for one in hurt for q in _in_vain(trouble, one)]
    lost_s = sum(_vain_s(trouble, one) for one in hurt)
    pieces = [_waits(trouble, hurt, questions), *_many(trouble, hurt), *_errors(trouble)]
    many = [one for one in hurt if one.why == {"many names"}]
    statement = (
        f"{len(hurt):,} of {plural(resolver.delayed_total, 'delayed lookup')} at "
        f"{trouble.target} waited for search-list names that do not exist."
    )
    return Hypothesis(
        cause=CAUSE,
        title=TITLE,
        role="burst",
        statement=statement,
        prior=PRIOR,
        steps=tuple(story(trouble, hurt, [q for q in trouble.lost if q.question in set(questions)])),
        weighed=tuple(pieces),
        both_sides=False,
        independent=False,
        signs=sum(piece.weight > 0 for piece in pieces[1:]) + int(bool(many)),
        findings=trouble.findings,
        time_lost_s=lost_s,
        missing=(
            MissingPart(
                what="The search list and ndots of the pods",
                command="kubectl exec POD -- cat /etc/resolv.conf",
            ),
        ),
        remedies=tuple(_remedies(hurt)),
        references=REFERENCES,
        refutation="it would be refuted by delays of the name itself only",
        figures=trouble.figures(hurt),
        impact=trouble.impact(hurt),
        ceiling=trouble.ceiling,
    )


def _vain_s(trouble: Trouble, one: DelayedLookup) -> float:
    """Time from the first to the last of these waits, overlapping ones once."""
    rows = trouble.dns.exchanges.rows
    spans = sorted((int(rows["start_ns"][q]), _wait_ns(rows, q)) for q in _in_vain(trouble, one))
    total, until = 0, 0
    for start, wait in spans:
        total += max(0, start + wait - max(start, until))
        until = max(until, start + wait)
    return total / 1e9


def _frames(trouble: Trouble, questions: Sequence[int]) -> list[EvidencePart]:
    rows, places = trouble.dns.messages.rows, trouble.dns.messages.places
    at: list[Ints] = [trouble.dns.exchanges.messages_of(q) for q in questions]
    chosen = np.concatenate(at)
    return frame_evidence(
        (places[int(rows["place"][n])].input, int(rows["frame"][n])) for n in chosen.tolist()
    )


def _waits(trouble: Trouble, hurt: list[DelayedLookup], questions: list[int]) -> Weighed:
    share = len(hurt) / trouble.resolver.delayed_total
    names = {int(trouble.dns.exchanges.rows["name"][q]) for q in questions}
    text = (
        f"{len(hurt):,} of {trouble.resolver.delayed_total:,} delayed lookups waited for "
        f"{plural(len(names), 'name')} of the search list; the intended name was queried after them."
    )
    reason = "without the search list these queries are not sent"
    return Weighed(1.6 * share, text, _frames(trouble, questions), reason)


def _many(trouble: Trouble, hurt: list[DelayedLookup]) -> list[Weighed]:
    resolver = trouble.resolver
    if resolver.expanded_lookups < EXPANDED_RATIO * resolver.lookups:
        return []
    text = (
        f"{resolver.expanded_lookups:,} of {plural(resolver.lookups, 'lookup')} went through the search list: "
        f"{resolver.expansions:,} more names, {resolver.questions / resolver.lookups:.1f} queries a lookup."
    )
    return [Weighed(0.8, text, trouble.frames_of(hurt), "each query can be delayed")]


def _errors(trouble: Trouble) -> list[Weighed]:
    resolver = trouble.resolver
    if not resolver.answered or resolver.name_errors < NAME_ERRORS_RATIO * resolver.answered:
        return []
    lost = query_frames(trouble.lost) or trouble.frames_of(resolver.delayed)
    text = f"{resolver.name_errors:,} of {resolver.answered:,} responses are NXDOMAIN (no such name)."
    return [Weighed(0.7, text, lost, "typical of a search list: all tries but one fail")]


def _remedies(hurt: Sequence[DelayedLookup]) -> list[RemedyPart]:
    name = hurt[0].name
    check = "kubectl exec POD -- cat /etc/resolv.conf"
    return [
        RemedyPart(
            what=f"Use fully qualified names, with the trailing dot: {name}.",
            applies_to="the application's settings",
            check=check,
            proof=PROOF,
            undo="the name without the dot",
            side_effect="some programs do not accept the dot in a URL or a certificate's name",
        ),
        RemedyPart(
            what="Lower ndots for the pods: names with a dot are then queried as they are first",
            command="kubectl patch deployment NAME --type merge -p "
            '\'{"spec":{"template":{"spec":{"dnsConfig":{"options":[{"name":"ndots","value":"2"}]}}}}}\'',
            applies_to="Kubernetes pods",
            check=check,
            proof=PROOF,
            undo="the same without the option",
            side_effect="names such as service.namespace.svc are queried as they are first; the pods restart",
        ),
        RemedyPart(
            what="Run NodeLocal DNSCache: NXDOMAIN responses come from the pod's own node",
            applies_to="Kubernetes",
            check="kubectl -n kube-system get daemonset node-local-dns",
            proof=PROOF,
            undo="delete the DaemonSet and give kubelet its previous cluster DNS address",
            side_effect="one more daemon on each node; the queries remain, but are local",
            versions="Kubernetes ≥ 1.18, where it is stable",
        ),
    ]
