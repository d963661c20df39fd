"""The resolver responds, but slowly."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Final

import numpy as np

from backend.forensics.cases.case import Case
from backend.forensics.connections import NEVER
from backend.forensics.diagnosis.alternatives import Alternative
from backend.forensics.diagnosis.contract import Hypothesis, Weighed
from backend.forensics.diagnosis.queries.rivals import list_rivals
from backend.forensics.diagnosis.queries.trouble import AT_RESOLVER, Trouble, collect_troubles, story
from backend.forensics.evidence.clocks.sightings import Ints, Place
from backend.forensics.evidence.dns.delayed import LATE_NS, DelayedLookup
from backend.forensics.evidence.facts import Facts
from backend.forensics.findings import frame_evidence, seconds_text
from backend.forensics.report import EvidencePart, MissingPart, RemedyPart
from backend.forensics.wording import percent

CAUSE = "slow-resolver"
TITLE = "Slow DNS resolver"
ALTERNATIVES: Final = (
    Alternative(
        "A resolver that does not respond",
        "queries stay without an answer, and clients wait for their timeout (5 s)",
    ),
    Alternative(
        "Collision of two queries (DNAT race)",
        "the delay is the client's timeout, and the resolver never had the query",
    ),
)
PRIOR = -0.8
WAITED_THERE_RATIO = 0.9
"""Share of the wait that is also seen at the vantage point nearest to the resolver: the rest passes on the way."""
LEG_RATIO = 0.8
"""Share of the wait that the resolver itself waited for another: the delay lies behind it."""
PROOF = "capture port 53 for 60 s again: responses must come within the baseline"

REFERENCES = (
    "RFC 1034 section 5.3: a resolver asks others for what its cache does not hold",
    "coredns.io/plugins/forward and /cache: coredns_forward_request_duration_seconds shows the wait per upstream",
)

_UPSTREAM = MissingPart(
    what="The upstream latency of the resolver",
    command="curl -s http://POD-IP:9153/metrics | grep coredns_forward_request_duration",
)


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per resolver that answered a question after 1 s without being asked again."""
    return [
        _hypothesis(facts, trouble, late)
        for trouble in collect_troubles(facts, findings)
        if (late := [one for one in trouble.resolver.delayed if "late" in one.why])
    ]


def _hypothesis(facts: Facts, trouble: Trouble, late: list[DelayedLookup]) -> Hypothesis:
    questions = _late_questions(trouble, late)
    place = _place(trouble, questions)
    leg = _legs(trouble, late)
    names = ("resolver-unresponsive", "dnat-race", "node-drop", "path-loss")
    there = any(piece.weight > 0 for piece in place)
    return Hypothesis(
        cause=CAUSE,
        title=TITLE,
        role="stall",
        statement=f"{trouble.hurt(late)}: the resolver was slow.",
        prior=PRIOR,
        steps=tuple(story(trouble, late, ())),
        weighed=(_answers(trouble, late, questions), *place, *leg),
        both_sides=there,
        independent=bool(leg),
        signs=int(there) + int(bool(leg)),
        findings=trouble.findings,
        time_lost_s=trouble.lost_s(late),
        rivals=list_rivals(facts, trouble, (), *names),
        missing=(*(() if there else (AT_RESOLVER,)), _UPSTREAM),
        remedies=tuple(_remedies()),
        references=REFERENCES,
        refutation="it would be refuted by responses that leave the resolver promptly and arrive late",
        figures=trouble.figures(late),
        impact=trouble.impact(late),
        ceiling=trouble.ceiling,
    )


def _late_questions(trouble: Trouble, late: Sequence[DelayedLookup]) -> Ints:
    rows = trouble.dns.exchanges.rows
    mine = np.array([q for one in late for q in one.questions], np.int64)
    waited = rows["answer_ns"][mine] - rows["start_ns"][mine]
    chosen: Ints = mine[(rows["answer_ns"][mine] != NEVER) & (waited >= LATE_NS) & (rows["sent"][mine] == 1)]
    return chosen


def _frames(trouble: Trouble, questions: Sequence[int]) -> list[EvidencePart]:
    rows, places = trouble.dns.messages.rows, trouble.dns.messages.places
    at = [n for q in questions for n in trouble.dns.exchanges.messages_of(int(q)).tolist()]
    return frame_evidence((places[int(rows["place"][n])].input, int(rows["frame"][n])) for n in at)


def _answers(trouble: Trouble, late: Sequence[DelayedLookup], questions: Ints) -> Weighed:
    rows = trouble.dns.exchanges.rows
    waits = [float(w) / 1e9 for w in rows["answer_ns"][questions] - rows["start_ns"][questions]]
    text = f"{len(questions):,} responses came {seconds_text(median(waits))} (median) after the only query for them."
    evidence = _frames(trouble, questions.tolist())
    return Weighed(1.5, text, evidence, "query and response were captured, without loss or retries between")


def _place(trouble: Trouble, questions: Ints) -> list[Weighed]:
    """The same wait at the vantage point nearest to the resolver."""
    shares, furthest = [], set[Place]()
    exchanges, places = trouble.dns.exchanges, trouble.dns.messages.places
    for question in questions.tolist():
        own = exchanges.rows[question]
        seen = exchanges.sightings_of(question)
        seen = seen[(seen["answer_ns"] != NEVER) & (seen["place"] != own["place"])]
        if not len(seen):
            continue
        last = seen[int(np.argmax(exchanges.lag_ns[seen["place"]]))]
        wait = int(own["answer_ns"] - own["start_ns"])
        shares.append(int(last["answer_ns"] - last["start_ns"]) / wait)
        furthest.add(places[int(last["place"])])
    if not shares:
        return []
    name = " or ".join(sorted(f"{p.word}" for p in furthest))
    share = median(shares)
    text = f"{percent(share)} of the delay is also captured on {name}, the vantage point nearest to the resolver."
    evidence = _frames(trouble, questions.tolist())
    if share >= WAITED_THERE_RATIO:
        return [Weighed(1.5, text, evidence, "the response left late; the path added no delay")]
    return [Weighed(-2.0, text, evidence, "the rest of the delay is on the path")]


def _legs(trouble: Trouble, late: Sequence[DelayedLookup]) -> list[Weighed]:
    """What the resolver waited for its own resolver meanwhile."""
    lookups, rows = trouble.dns.lookups, trouble.dns.exchanges.rows
    share, legs, of = [], [], 0
    for one in late:
        own = [int(q) for q in lookups.questions_of(one.lookup) if lookups.leg[q]]
        waits = [
            int(rows["answer_ns"][q] - rows["start_ns"][q]) for q in own if rows["answer_ns"][q] != NEVER
        ]
        if waits:
            share.append(max(waits) / 1e9 / one.wait_s)
            legs += own
            of += 1
    if not share or median(share) < LEG_RATIO:
        return []
    text = (
        f"In {of:,} of {len(late):,} lookups the resolver itself waited for its upstream, "
        f"{percent(median(share))} of the time."
    )
    return [Weighed(1.0, text, _frames(trouble, legs), "the delay is at the upstream")]


def _remedies() -> list[RemedyPart]:
    return [
        RemedyPart(
            what="Enable caching with prefetch on the resolver",
            applies_to="CoreDNS",
            command="kubectl -n kube-system edit configmap coredns",
            check="kubectl -n kube-system get configmap coredns -o yaml",
            proof=PROOF,
            undo="Restore the previous Corefile",
            side_effect="DNS changes take effect later",
        ),
        RemedyPart(
            what="Check the upstreams: forward to those that respond, and remove the slow one",
            applies_to="CoreDNS",
            command="dig @UPSTREAM NAME",
            check="dig @UPSTREAM NAME; kubectl -n kube-system get configmap coredns -o yaml",
            proof=PROOF,
            undo="Restore the previous Corefile",
            side_effect="names that only the removed upstream resolves are lost",
        ),
        RemedyPart(
            condition="it is busy at these times",
            what="Give the resolver more CPU or replicas",
            applies_to="Kubernetes",
            command="kubectl -n kube-system scale deployment coredns --replicas=N",
            check="kubectl -n kube-system top pods -l k8s-app=kube-dns",
            proof=PROOF,
            undo="the previous number",
            side_effect="each replica has a cache of its own: more misses at first",
        ),
    ]
