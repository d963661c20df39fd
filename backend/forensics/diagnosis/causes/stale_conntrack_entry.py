"""A connection-tracking entry was made while the service's rule was missing, and its own packets keep it alive.

net/netfilter/nf_nat_core.c: the first packet of a tuple decides on its translation; the rules are not evaluated
again while the entry exists. A UDP sender that keeps its port renews the entry with every datagram
(nf_conntrack_udp_timeout, 30 s): what it sends goes to the untranslated service address, or to an endpoint that is
gone, until somebody deletes the entry (kubernetes/kubernetes#48370, #125467)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from backend.forensics.cases.case import Case
from backend.forensics.diagnosis.alternatives import Alternative
from backend.forensics.diagnosis.contract import Hypothesis, Weighed
from backend.forensics.diagnosis.listed_causes import ListedCause, from_listings, on_host
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.kernel.host_signs import HostSigns
from backend.forensics.evidence.kernel.tracked_states import TwoWays, find_untranslated_entries
from backend.forensics.findings import line_evidence
from backend.forensics.report import MissingPart, RemedyPart, RivalPart

CAUSE = "stale-conntrack-entry"
TITLE = "Stale connection-tracking entry"
ALTERNATIVES: Final = (
    Alternative(
        "One of several backends does not respond",
        "new tuples fail, too; a stale entry fails the same tuple again and again",
    ),
)
COLLECT: Final = (
    MissingPart(
        what="Whether the entry is still renewed, and the endpoints of today",
        command="conntrack -L -d SERVICE_ADDRESS; kubectl get endpointslices -A",
    ),
)
FOUND_MOST = 5

REFERENCES = (
    "net/netfilter/nf_nat_core.c: nf_nat_inet_fn() asks the rules for the first packet of an entry alone",
    "kubernetes/kubernetes#48370, #125467",
)
_CAUSE = ListedCause(
    cause=CAUSE,
    title=TITLE,
    prior=-2.5,
    references=REFERENCES,
    refutation="it would be refuted by an answer on this entry (no UNREPLIED)",
    rivals=(
        RivalPart(
            cause="no-local-endpoint",
            title="The service has no endpoint",
            status="ruled-out",
            because="other entries of the same service are translated",
        ),
    ),
    remedies=(
        RemedyPart(
            what="Delete the entry: the next datagram is translated by today's rules",
            command="conntrack -D -p udp --orig-dst SERVICE",
            applies_to="the node that holds the entry",
            check="conntrack -L -p udp --orig-dst SERVICE",
            proof="the new entry's answer comes from an endpoint, and [UNREPLIED] goes",
            undo="not needed: an entry is made again by the next packet",
            side_effect="entries of the same service that work are deleted, too, and made again",
            versions="kube-proxy deletes such entries itself; since 1.32 by comparing the table with the endpoints",
        ),
    ),
)


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per service address with an untranslated, unanswered entry beside translated ones."""
    return [
        _hypothesis(host, one)
        for host in facts.listed_hosts.hosts
        for one in find_untranslated_entries(host.dumps)[:FOUND_MOST]
    ]


def _hypothesis(host: HostSigns, one: TwoWays) -> Hypothesis:
    statement = (
        f"An entry for {one.target}{on_host(host)} is not translated and never answered, while others go to "
        f"{one.translated_to}: it was made without the service's rule."
    )
    command = f"conntrack -L -p udp --orig-dst {one.target.rpartition(':')[0]}; kubectl get endpointslices -A -o wide"
    missing = (
        MissingPart(what="Whether the entry is still renewed, and the endpoints of today", command=command),
    )
    return from_listings(_CAUSE, statement, _weighed(one), missing=missing)


def _weighed(one: TwoWays) -> list[Weighed]:
    text = (
        f"An UNREPLIED entry expects its answer from {one.target} itself, another from {one.translated_to}."
    )
    reason = "the rules translate this address now: the entry is older than they are"
    pieces = [Weighed(2.8, text, line_evidence(one.lines), reason)]
    if one.same_tuple:
        text = "Both are of the same source port: one sender that was translated, and then was not."
        pieces.append(Weighed(0.8, text, line_evidence(one.lines[:2]), "the sender keeps its port"))
    return pieces
