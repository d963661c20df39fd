"""The resolver does not respond: queries reach it, or a path on which others are answered, and every try
stays unanswered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from backend.forensics.cases.case import Case
from backend.forensics.connections import NEVER
from backend.forensics.diagnosis.alternatives import Alternative
from backend.forensics.diagnosis.contract import Hypothesis, Weighed
from backend.forensics.diagnosis.queries.rivals import list_rivals
from backend.forensics.diagnosis.queries.trouble import (
    AT_RESOLVER,
    BOTH_SIDES,
    Trouble,
    collect_troubles,
    lossy,
    lost_frames,
    query_frames,
    story,
)
from backend.forensics.evidence.attempts.delays import Frame
from backend.forensics.evidence.dns.delayed import LATE_NS, DelayedLookup
from backend.forensics.evidence.facts import Facts
from backend.forensics.findings import frame_evidence, plural
from backend.forensics.packets import UDP
from backend.forensics.report import EvidencePart, MissingPart, RemedyPart

CAUSE = "resolver-unresponsive"
TITLE = "Unresponsive DNS resolver"
ALTERNATIVES: Final = (
    Alternative(
        "Collision of two queries (DNAT race)",
        "only one of two queries of one socket is lost, and a retry passes",
    ),
    Alternative("A slow resolver", "the answer comes, after the client has given up"),
)
PRIOR = -1.0
NEVER_ARRIVED = -5.0
"""Queries that were lost before they came to the resolver accuse the way, not the resolver."""
ASKED_ONCE = -1.0
"""A question put once and not again may be lost, out of date, or of a tunnel that waits for something to say."""
PROOF = "capture port 53 for 60 s again: every query must be answered"
HALVES_CEILING = 0.49
"""It answers other queries for the same names: it ignores these, or they are dropped on the path; unknown which."""
PASSING = -3.0
"""Where nearly all lost queries pass when put again, the resolver lives."""

REFERENCES = (
    "resolv.conf(5): timeout 5 s and 2 attempts by default, then the next name server or an error",
    "RFC 1035 section 4.2.1: over UDP a lost query or response is a missing response",
    "Kubernetes issue 125467: a UDP conntrack entry that points at a pod which is gone, held by a client's source port",
)

_SERVER_LOGS = MissingPart(
    what="Whether the resolver received the queries, and its upstream latency",
    command="kubectl -n kube-system logs -l k8s-app=kube-dns --since=10m",
)


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per resolver with a question that was never answered."""
    return [_hypothesis(facts, t) for t in collect_troubles(facts, findings) if t.failed]


def _hypothesis(facts: Facts, trouble: Trouble) -> Hypothesis:
    lookups = trouble.lookups(trouble.failed)
    reached = [q for q in trouble.failed if q.where == "reached"]
    unreachable = _unreachable(facts, trouble)
    pieces = [
        _silence(trouble),
        *_place(trouble),
        *_both(trouble),
        *_halves(trouble),
        *_names(trouble),
        *_icmp_errors(unreachable),
    ]
    pieces += _passing(trouble)
    pieces += lossy(facts, query_frames(trouble.failed))
    names = ("dnat-race", "node-drop", "firewall-drop", "path-loss", "slow-resolver", "conntrack-full")
    located = len(reached) == len(trouble.failed)
    return Hypothesis(
        cause=CAUSE,
        title=TITLE,
        role="loss",
        statement=_statement(trouble, lookups),
        prior=PRIOR,
        steps=tuple(story(trouble, lookups, trouble.failed)),
        weighed=tuple(pieces),
        both_sides=located,
        independent=bool(unreachable),
        signs=int(located) + int(bool(unreachable)),
        findings=trouble.findings,
        time_lost_s=trouble.lost_s(lookups),
        rivals=list_rivals(facts, trouble, trouble.failed, *names),
        missing=(*(() if located else (BOTH_SIDES, AT_RESOLVER)), _SERVER_LOGS),
        remedies=tuple(_remedies(trouble)),
        references=REFERENCES,
        refutation=(
            "it would be refuted by responses that leave the resolver, or by queries that do not reach it"
        ),
        figures=trouble.figures(lookups),
        impact=trouble.impact(lookups),
        explains=lost_frames(trouble.failed),
        ceiling=min(trouble.ceiling, HALVES_CEILING) if trouble.answers_halves else trouble.ceiling,
    )


def _statement(trouble: Trouble, lookups: Sequence[DelayedLookup]) -> str:
    if not trouble.mute:
        total = plural(trouble.resolver.lookups, "lookup")
        return (
            f"{len(lookups):,} of {total} at {trouble.target} failed: ICMP errors report that its port or host is "
            "unreachable."
        )
    if all(one.wait_s * 1e9 < LATE_NS for one in lookups):  # nobody is seen waiting
        total = plural(trouble.resolver.lookups, "lookup")
        retried = "" if any(one.retries for one in lookups) else " and were not retried there"
        return f"{len(lookups):,} of {total} at {trouble.target} got no response{retried}."
    silent = "query" if len(trouble.failed) == 1 else "queries"
    return (
        f"{trouble.hurt(lookups)} or more: {len(trouble.failed):,} {silent} stayed unanswered on every try."
    )


def _silence(trouble: Trouble) -> Weighed:
    tries = Counter(q.question for q in trouble.failed)
    again = sum(n > 1 for n in tries.values())
    if not trouble.mute:
        sent = plural(tries.total(), "time")
        text = f"{plural(len(tries), 'DNS query', 'DNS queries')}, sent {sent}, got ICMP errors only."
        return Weighed(1.0, text, query_frames(trouble.failed), "no query was lost on the path there")
    if again == 0:
        text = f"{plural(len(tries), 'DNS query', 'DNS queries')} got no response, and none was retried."
        return Weighed(ASKED_ONCE, text, query_frames(trouble.failed), "one lost datagram looks the same")
    text = f"{plural(len(tries), 'DNS query', 'DNS queries')}, sent {tries.total():,} times, got no response."
    return Weighed(1.0, text, query_frames(trouble.failed), "a lost datagram is answered when it is retried")


def _place(trouble: Trouble) -> list[Weighed]:
    reached = [q for q in trouble.failed if q.where == "reached"]
    inside = [q for q in trouble.failed if q.where in ("inside", "return")]
    pieces = []
    if reached:
        outer = " or ".join(dict.fromkeys(f"{p.word}" for q in reached for p in q.outer))
        text = (
            f"{len(reached):,} of {len(trouble.failed):,} were captured as far as {outer}; no response "
            "came from there."
        )
        weight = 1.7 * len(reached) / len(trouble.failed)
        pieces.append(
            Weighed(weight, text, query_frames(reached), "the queries arrived where others are answered")
        )
    if len(inside) * 2 > len(trouble.failed):
        text = f"{len(inside):,} of {len(trouble.failed):,} were lost on the path to the resolver or back."
        pieces.append(
            Weighed(
                NEVER_ARRIVED, text, query_frames(inside), "queries that do not arrive cannot be answered"
            )
        )
    return pieces


def _both(trouble: Trouble) -> list[Weighed]:
    pairs = [q for q in trouble.failed if q.pair_ns is not None]
    both = [q for q in pairs if not q.pair_answered]
    if not pairs or len(both) * 2 <= len(pairs):
        return []
    sent = plural(len(pairs), "query", "queries")
    text = f"Of {sent} sent in pairs {len(both):,} stayed unanswered together with the other one."
    reason = "random loss seldom affects both and every retry"
    return [Weighed(0.8, text, query_frames(both, pairs=True), reason)]


def _halves(trouble: Trouble) -> list[Weighed]:
    """A resolver that answers another query for the name is up, and knows it."""
    if not trouble.answers_halves:
        return []
    half, total = trouble.half_answered, plural(len(trouble.failed), "query", "queries")
    text = f"Of {total} {len(half):,} were for names of which another query was answered."
    reason = "the resolver was up; it ignores these, or something before it drops them"
    return [Weighed(-1.0, text, query_frames(half), reason)]


def _names(trouble: Trouble) -> list[Weighed]:
    """Names of which nothing was ever answered, while others are: the resolver waits for whoever knows them."""
    rows, names = trouble.dns.exchanges.rows, trouble.dns.messages.names
    silent = {q.name for q in trouble.failed}
    answered = {names[n] for n in set(rows["name"][rows["answer_ns"] != NEVER].tolist())}
    only = silent - answered
    if not answered or not only:
        return []
    shown = ", ".join(f"{name}" for name in sorted(only)[:3])
    text = f"No query for {shown} was ever answered, while {len(answered):,} other names were."
    mine = [q for q in trouble.failed if q.name in only]
    reason = "the resolver is up; its upstream for these names does not respond"
    return [Weighed(0.5, text, query_frames(mine), reason)]


def _passing(trouble: Trouble) -> list[Weighed]:
    """Lost queries that were answered when put again: whoever is silent is silent on every try."""
    passing = trouble.passing
    if not passing:
        return []
    text = f"{len(passing):,} of {len(trouble.lost):,} lost queries were answered when they were retried."
    reason = "random loss also affects all tries of a few queries"
    return [Weighed(PASSING * len(passing) / len(trouble.lost), text, query_frames(passing), reason)]


def _unreachable(facts: Facts, trouble: Trouble) -> list[Frame]:
    """ICMP errors that quote a query to this resolver."""
    import pyarrow.compute as pc  # functions that most captures need none of

    server, found = trouble.resolver.server, []
    columns = [
        "frame",
        "quoted_protocol",
        "quoted_destination_high",
        "quoted_destination_low",
        "quoted_destination_port",
    ]
    for capture in facts.captures:
        if not capture.messages.icmp_errors.rows:
            continue
        table = capture.messages.icmp_errors.read(columns)
        mine = pc.and_(
            pc.equal(table["quoted_protocol"], UDP), pc.equal(table["quoted_destination_port"], server.port)
        )
        mine = pc.and_(mine, pc.equal(table["quoted_destination_low"], server.low))
        mine = pc.and_(mine, pc.equal(table["quoted_destination_high"], server.high))
        found += [(capture.name, int(frame)) for frame in table.filter(mine)["frame"].to_pylist()]
    return found


def _icmp_errors(frames: list[Frame]) -> list[Weighed]:
    if not frames:
        return []
    evidence: list[EvidencePart] = frame_evidence(frames)
    text = f"{len(frames):,} ICMP errors report that the resolver's port or host is unreachable."
    return [Weighed(2.0, text, evidence, "reported by its host or the router before it")]


def _remedies(trouble: Trouble) -> list[RemedyPart]:
    host = trouble.resolver.server.address
    name = trouble.failed[0].name or "."
    return [
        RemedyPart(
            what="Query each backend of the resolver separately: replace the one that does not respond",
            command=f"dig +tries=1 +time=2 @{host} {name}; kubectl -n kube-system get endpoints kube-dns",
            applies_to="Kubernetes",
            check="kubectl -n kube-system get pods -l k8s-app=kube-dns -o wide",
            proof=PROOF,
            undo="Not needed: read-only",
            side_effect="none",
        ),
        RemedyPart(
            what="Delete UDP conntrack entries that point to a removed backend",
            command=f"conntrack -D -p udp --orig-dst {host} --orig-port-dst 53",
            applies_to="nodes with kube-proxy",
            check=f"conntrack -L -p udp --orig-dst {host}",
            proof=PROOF,
            undo="none needed: entries come back with the next query",
            side_effect="pending queries are translated again",
        ),
        RemedyPart(
            what="Give applications a second resolver and a shorter wait: options timeout:1 attempts:3",
            applies_to="pods (dnsConfig) or /etc/resolv.conf",
            check="cat /etc/resolv.conf",
            proof=PROOF,
            undo="Restore the previous options",
            side_effect="more queries while a resolver is slow; the resolver stays unresponsive",
        ),
    ]
