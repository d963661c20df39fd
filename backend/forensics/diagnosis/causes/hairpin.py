"""A pod connects to a service and DNAT selects the pod itself: the SYN would have to return to its sender, and is lost.

After DNAT source and destination are the same pod. A bridge sends no frame back to the port that it came from unless
that port is in hairpin mode (net/bridge/br_forward.c, should_deliver()); a pod that gets a packet from its own
address drops it (net/ipv4/fib_frontend.c: a martian source), so that the node must masquerade it (kube-proxy's
KUBE-MARK-MASQ for a source that is the endpoint). Of n endpoints one in n connections fails, from that pod alone. A
network load balancer that keeps client addresses does the same to a target that calls it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from backend.forensics.cases.case import Case
from backend.forensics.connections import NEVER
from backend.forensics.diagnosis.alternatives import Alternative
from backend.forensics.diagnosis.contract import TIME_LOST, Hypothesis, Weighed
from backend.forensics.diagnosis.lost_syns import REFUTES, about_servers
from backend.forensics.evidence.attempts.retried import Endpoint
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.nat.service_returns import Hairpin
from backend.forensics.findings import frame_evidence, plural, seconds_text
from backend.forensics.report import ClaimPart, MissingPart, RemedyPart, RivalPart

CAUSE = "hairpin"
TITLE = "Hairpin: translated to its own sender"
ALTERNATIVES: Final = (
    Alternative(
        "One of several backends does not respond",
        "fails from every client; a hairpin fails only where client and endpoint are the same pod or node",
    ),
    Alternative(
        "Reverse-path filter",
        "IPReversePathFilter rises, and the packet's source is not the receiver's own address",
    ),
)
COLLECT: Final = (
    MissingPart(
        what="The mode of the pods' bridge ports, and whether the node masquerades what returns",
        command="bridge -d link show | grep -B1 hairpin; iptables-save -t nat | grep -E 'MARK-MASQ|MASQUERADE'",
    ),
)
PRIOR = -2.0
"""Rare, and plain where it is seen: no other fault sends a SYN back to its sender."""
SEVERAL = 2

REFERENCES = (
    "net/bridge/br_forward.c: should_deliver(), BR_HAIRPIN_MODE",
    "kubernetes.io, Debug Services: a Pod fails to reach itself via the Service IP; kubelet --hairpin-mode",
    "kubernetes pkg/proxy/iptables/proxier.go: KUBE-MARK-MASQ where the source is the endpoint",
)


@dataclass(frozen=True)
class _Case:
    facts: Facts
    hairpin: Hairpin

    @property
    def server(self) -> Endpoint:
        row = self.facts.attempts.table[int(self.hairpin.rows[0])]
        return Endpoint(*(int(row[f"server_{part}"]) for part in ("high", "low", "port")))

    @property
    def client(self) -> str:
        row = self.facts.attempts.table[int(self.hairpin.rows[0])]
        return Endpoint(int(row["client_high"]), int(row["client_low"]), 0).address

    @property
    def links(self) -> tuple[int, ...]:
        known, table = self.facts.row_of_link, self.facts.attempts.table
        return tuple(n for n in table["link"][self.hairpin.failed].tolist() if n in known)


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per client and service whose SYNs came back and failed."""
    return [_hypothesis(findings, _Case(facts, each)) for each in facts.hairpins if len(each.failed)]


def _hypothesis(findings: Sequence[Case], case: _Case) -> Hypothesis:
    lost_s = case.facts.delays.lost_by(case.links)
    failed, server = len(case.hairpin.failed), case.server
    return Hypothesis(
        cause=CAUSE,
        title=TITLE,
        role="loss",
        statement=(
            f"{plural(failed, 'connection')} from {case.client} to {server} failed or waited: the service "
            "translated their SYNs to their own sender."
        ),
        prior=PRIOR,
        steps=(_step(case),),
        weighed=tuple(_weighed(case)),
        both_sides=True,
        independent=False,
        signs=int(case.hairpin.untranslated > 0) + int(len(_others(case)) > 0),
        findings=about_servers(findings, frozenset((str(server),))),
        time_lost_s=lost_s,
        rivals=(_dead(case),),
        missing=(
            MissingPart(
                what="The mode of the pods' bridge ports, and whether the node masquerades what returns",
                command="bridge -d link show | grep -B1 hairpin; iptables-save -t nat | grep -E 'MARK-MASQ|MASQUERADE'",
            ),
        ),
        remedies=_REMEDIES,
        references=REFERENCES,
        refutation="it would be refuted by a connection of this pod to itself that opens",
        figures=((TIME_LOST, seconds_text(lost_s)), ("connections", f"{failed:,}"), ("to", str(server))),
        attempts=case.links,
    )


def _step(case: _Case) -> ClaimPart:
    text = f"A SYN of {case.client} to {case.server} was sent on to {case.client} itself."
    return ClaimPart(role="step", text=text, evidence=frame_evidence(case.hairpin.frames))


def _weighed(case: _Case) -> list[Weighed]:
    hairpin, frames = case.hairpin, frame_evidence(case.hairpin.frames)
    failed, tried = len(hairpin.failed), len(hairpin.rows)
    pieces = []
    if failed * 2 < tried:
        text = f"{tried - failed:,} of {plural(tried, 'connection')} of the pod to itself opened."
        pieces.append(Weighed(REFUTES, text, frames, "the return path to the sender works"))
    text = f"{plural(failed, 'connection')} whose SYN was translated to its sender got no answer."
    weight = 3.4 if failed >= SEVERAL else 1.4
    pieces.append(Weighed(weight, text, frames, "the SYN has to leave by the port that it came from"))
    if hairpin.untranslated:
        text = f"{plural(hairpin.untranslated, 'SYN')} had the same source and destination: not masqueraded."
        pieces.append(Weighed(0.8, text, frames, "a host drops packets that come from its own address"))
    others = _others(case)
    if len(others):
        text = f"{plural(len(others), 'connection')} of the same pod to the same service, to other endpoints, opened."
        pieces.append(Weighed(1.0, text, frames, "the service works, but for the pod itself"))
    return pieces


def _others(case: _Case) -> list[int]:
    """Rows of the same client and service that another endpoint answered."""
    rows = case.facts.attempts.rows_to(case.server)
    table = case.facts.attempts.table[rows]
    first = case.facts.attempts.table[int(case.hairpin.rows[0])]
    own = (table["client_high"] == first["client_high"]) & (table["client_low"] == first["client_low"])
    opened = own & (table["connect_delay_ns"] != NEVER)
    chosen: list[int] = np.setdiff1d(rows[opened], case.hairpin.rows).tolist()
    return chosen


def _dead(case: _Case) -> RivalPart:
    because = "the SYNs were sent to their own sender, which is alive: it sent them"
    return RivalPart(
        cause="target-unresponsive", title="Target does not respond", status="ruled-out", because=because
    )


_REMEDIES = (
    RemedyPart(
        what="Set hairpin mode on the pods' bridge ports",
        command='bridge link set dev VETH hairpin on   # in the CNI\'s configuration: "hairpinMode": true',
        applies_to="nodes whose pods hang on a Linux bridge",
        check="bridge -d link show | grep hairpin",
        proof="a pod reaches itself through its service",
        undo="bridge link set dev VETH hairpin off",
        side_effect="broadcasts of a pod come back to it: duplicate address detection of IPv6 may fail",
        versions="a change on the port ends with the pod; the CNI's configuration holds for new pods",
    ),
    RemedyPart(
        what="Let the node masquerade what a pod's service sends back to it",
        command="iptables-save -t nat | grep KUBE-MARK-MASQ",
        applies_to="kube-proxy (clusterCIDR or detectLocalMode set), the CNI's portmap plugin (snat: true)",
        check="iptables-save -c -t nat | grep -E 'KUBE-MARK-MASQ|KUBE-POSTROUTING'",
        proof="the SYN comes back with the node's address as its source",
        undo="Restore the previous setting",
        side_effect="the pod sees the node's address for its own calls",
        versions=None,
    ),
    RemedyPart(
        what="For a target that calls its own network load balancer: switch client address preservation off",
        command="aws elbv2 modify-target-group-attributes --target-group-arn ARN "
        "--attributes Key=preserve_client_ip.enabled,Value=false",
        applies_to="AWS Network Load Balancers",
        check="aws elbv2 describe-target-group-attributes --target-group-arn ARN",
        proof="targets reach their own load balancer",
        undo="the same command with Value=true",
        side_effect="targets see the load balancer's address; proxy protocol can carry the client's",
        versions=None,
    ),
)
