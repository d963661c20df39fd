"""A removed backend still gets connections: its pod has ended, but the node's rules still select it.

Deleting a pod takes it out of the EndpointSlice and sends SIGTERM at the same time (kubernetes.io, Pod Lifecycle,
termination of pods); each kube-proxy follows later. Until it does, a share of the new connections goes to an address
that refuses them (the container has ended) or does not answer (its interface is gone)."""

from __future__ import annotations

from collections.abc import Sequence

from backend.forensics.cases.case import Case
from backend.forensics.diagnosis.contract import Hypothesis, Weighed
from backend.forensics.diagnosis.lost_syns import about_servers
from backend.forensics.evidence.clocks.sightings import Ints
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.removed_endpoints import RemovedEndpoint, find_removed_endpoints
from backend.forensics.findings import frame_evidence, plural, seconds_text
from backend.forensics.report import ClaimPart, EvidencePart, MissingPart, RemedyPart, RivalPart
from backend.forensics.wording import p_text

CAUSE = "endpoint-gone"
TITLE = "Connections to a removed endpoint"
PRIOR = -2.0

REFERENCES = (
    "kubernetes.io, Pod Lifecycle: termination of pods; EndpointSlices: conditions ready, serving, terminating",
    "RFC 9293 section 3.10.7.1: RST from a closed port; RFC 792: host unreachable",
)


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per backend that answered, failed, and was chosen no more."""
    return [_hypothesis(facts, findings, each) for each in find_removed_endpoints(facts)]


def _hypothesis(facts: Facts, findings: Sequence[Case], each: RemovedEndpoint) -> Hypothesis:
    links = facts.attempts.table["link"][each.failed].tolist()
    how = "were refused by" if each.refused == len(each.failed) else "got no answer from"
    return Hypothesis(
        cause=CAUSE,
        title=TITLE,
        role="loss",
        statement=(
            f"{len(each.failed):,} new connections to {each.service} {how} its removed backend {each.backend} over "
            f"{seconds_text(each.lasted_s)}, until the node no longer chose it."
        ),
        prior=PRIOR,
        steps=tuple(_steps(facts, each)),
        weighed=tuple(_weighed(facts, each)),
        both_sides=True,
        independent=False,
        signs=1,
        findings=about_servers(findings, frozenset((str(each.service), str(each.backend)))),
        time_lost_s=0.0,
        rivals=_RIVALS,
        missing=_MISSING,
        remedies=_REMEDIES,
        references=REFERENCES,
        refutation=f"it would be refuted by a later connection that {each.backend} answers",
        figures=(("failed", f"{len(each.failed):,}"), ("lasted", seconds_text(each.lasted_s))),
        attempts=tuple(link for link in links if link in facts.row_of_link),
    )


def _steps(facts: Facts, each: RemovedEndpoint) -> list[ClaimPart]:
    before, first, last = each.opened[-1:], each.failed[:1], each.failed[-1:]
    texts = (
        (f"{each.backend} accepted a connection for the last time.", before),
        ("The next connection that was translated to it failed.", first),
        ("This was the last one; later connections went to other backends.", last),
    )
    return [ClaimPart(role="step", text=text, evidence=_frames(facts, rows)) for text, rows in texts]


def _weighed(facts: Facts, each: RemovedEndpoint) -> list[Weighed]:
    text = (
        f"{each.backend} accepted {plural(len(each.opened), 'connection')}, then none of {len(each.failed):,}: "
        f"{each.refused:,} refused, {len(each.failed) - each.refused:,} without an answer."
    )
    reason = "from one moment on it failed every connection, the other backends did not"
    gone = (
        f"None of {plural(each.after, 'later connection')} went to it, of which it had its share before "
        f"({p_text(each.p_value)})."
    )
    removed = "whatever spreads the connections took it out: it was removed, and not only dead"
    return [
        Weighed(2.2, text, _frames(facts, each.failed), reason),
        Weighed(1.6, gone, _frames(facts, each.failed[-1:]), removed),
    ]


def _frames(facts: Facts, rows: Ints) -> list[EvidencePart]:
    table, places = facts.attempts.table[rows], facts.attempts.places
    return frame_evidence(
        (places[place].input, frame)
        for place, frame in zip(table["place"].tolist(), table["frame"].tolist(), strict=True)
    )


_RIVALS = (
    RivalPart(
        cause="dead-backend",
        title="One of several backends does not respond",
        status="ruled-out",
        because="a backend that is only dead keeps its share of new connections",
    ),
    RivalPart(
        cause="rule-sync-delay",
        title="kube-proxy writes its rules late",
        status="cannot-tell",
        because="how long the rules took after the removal is not in the packets",
        command="kubectl -n kube-system logs KUBE_PROXY_POD --timestamps | grep 'SyncProxyRules complete'",
    ),
    RivalPart(
        cause="health-check",
        title="A health check took the backend out",
        status="cannot-tell",
        because="a backend that failed by itself and is taken out by its readiness probe looks the same",
        command="kubectl get events -A --field-selector reason=Unhealthy; kubectl get pods -A -o wide",
    ),
)
_MISSING = (
    MissingPart(
        what="When the pod was deleted and when it left the EndpointSlice",
        command="kubectl get endpointslices -A -w -o json; kubectl get pods -A -o json | grep deletionTimestamp",
    ),
)
_REMEDIES = (
    RemedyPart(
        what="Let the pod serve for some seconds after its deletion: a preStop hook that sleeps longer than the rules "
        "take to follow",
        command=None,
        applies_to="pods behind a service: lifecycle.preStop, within terminationGracePeriodSeconds",
        check="kubectl get pod POD -o jsonpath='{.spec.containers[*].lifecycle}'",
        proof="no connection fails during a rollout",
        undo="Remove the hook",
        side_effect="a rollout takes that much longer",
        versions=None,
    ),
    RemedyPart(
        what="Retry connections that were refused, on another backend",
        command=None,
        applies_to="clients and proxies",
        check="the retry policy for failed connects",
        proof="no error reaches the caller",
        undo="Restore the previous policy",
        side_effect="none for a connection that never opened: no request was sent",
        versions=None,
    ),
)
