"""A service has no endpoint, or none on this node under a Local policy: kube-proxy's own rule rejects or drops it.

pkg/proxy/iptables/proxier.go, syncProxyRules(): no endpoint at all: REJECT ("… has no endpoints"), the client is
refused at once by ICMP port unreachable; endpoints on other nodes only and `externalTrafficPolicy` or
`internalTrafficPolicy` Local: DROP ("… has no local endpoints"), every SYN and its retransmissions stay unanswered. The
nftables mode does the same by the maps no-endpoint-services and no-endpoint-nodeports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from backend.forensics.addresses import address_halves
from backend.forensics.cases.case import Case
from backend.forensics.connections import NEVER
from backend.forensics.diagnosis.alternatives import Alternative
from backend.forensics.diagnosis.contract import TIME_LOST, Hypothesis, Weighed
from backend.forensics.diagnosis.lost_syns import REFUTES, about_servers
from backend.forensics.evidence.attempts.icmp_errors import PORT
from backend.forensics.evidence.attempts.retried import Endpoint
from backend.forensics.evidence.clocks.sightings import Ints
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.evidence.kernel.endpointless import EndpointlessRule, list_endpointless
from backend.forensics.findings import frame_evidence, line_evidence, plural, seconds_text
from backend.forensics.private_words import of_object, of_rule
from backend.forensics.report import ClaimPart, EvidencePart, MissingPart, RemedyPart, RivalPart

CAUSE = "no-local-endpoint"
TITLE = "Service without (local) endpoint"
ALTERNATIVES: Final = (
    Alternative(
        "A firewall rule", "its text does not name the missing endpoint, and other nodes drop the same port"
    ),
    Alternative(
        "One of several backends does not respond",
        "a share of the connections at each node opens; here none at this node does",
    ),
)
COLLECT: Final = (
    MissingPart(
        what="The service's policy, its endpoints, and the counter of the rule",
        command="kubectl get service,endpointslices -A -o yaml; iptables-save -c | grep -E 'has no (local )?endpoints'",
    ),
)
PRIOR = -2.5
"""Seldom the reason of a lost SYN, and never without a rule that says so."""
COUNTED_LEAST = 3
"""Fewer packets are those of the moment in which a rollout had no ready pod."""
SERVICES_MOST = 5
"""Services of one investigation that are judged: a listing names hundreds that nobody calls."""
NODE_PORTS = range(30_000, 32_768)
"""kube-apiserver --service-node-port-range by default; a rule without address is about one of them."""

REFERENCES = (
    "kubernetes pkg/proxy/iptables/proxier.go: syncProxyRules(), “has no endpoints” and “has no local endpoints”",
    "kubernetes pkg/proxy/nftables/proxier.go: no-endpoint-services, no-endpoint-nodeports",
    "kubernetes.io, Virtual IPs and Service Proxies: traffic policies; Create an External Load Balancer: "
    "preserving the client source IP",
)


@dataclass(frozen=True)
class _Service:
    """The rules about one service on one host, and what became of the connections that they match."""

    facts: Facts
    name: str
    rules: tuple[EndpointlessRule, ...]

    @property
    def packets(self) -> int:
        return sum(rule.packets for rule in self.rules)

    @cached_property
    def rows(self) -> Ints:
        """Of `Attempts.table`: the connections that a rule matches."""
        table = self.facts.attempts.table
        chosen = np.zeros(len(table), np.bool_)
        for rule in self.rules:
            if rule.port is None:
                continue
            match = table["server_port"] == rule.port
            if rule.address:
                high, low = address_halves(rule.address)
                match &= (table["server_high"] == high) & (table["server_low"] == low)
            chosen |= match if rule.address or rule.port in NODE_PORTS else False
        return np.flatnonzero(chosen)

    @cached_property
    def failed(self) -> Ints:
        """Of these, the ones that nobody answered with a SYN-ACK."""
        rows = self.facts.attempts.table[self.rows]
        failed: Ints = self.rows[(rows["connect_delay_ns"] == NEVER) & ~rows["established"]]
        return failed

    @cached_property
    def links(self) -> tuple[int, ...]:
        """Of the failed ones that are delayed attempts of the account."""
        known = self.facts.row_of_link
        return tuple(n for n in self.facts.attempts.table["link"][self.failed].tolist() if n in known)

    @property
    def frames(self) -> list[EvidencePart]:
        """The SYNs of the failed connections."""
        table, places = self.facts.attempts.table, self.facts.attempts.places
        rows = table[self.failed]
        return frame_evidence(
            (places[place].input, frame)
            for place, frame in zip(rows["place"].tolist(), rows["frame"].tolist(), strict=True)
        )

    @property
    def servers(self) -> frozenset[str]:
        rows = self.facts.attempts.table[self.failed]
        ends = zip(*(rows[f"server_{p}"].tolist() for p in ("high", "low", "port")), strict=True)
        return frozenset(str(Endpoint(*end)) for end in set(ends))

    @property
    def target(self) -> str:
        """How the statement names it: by its name, or by its first address and port."""
        first = self.rules[0]
        where = f"{first.address or 'node port'}:{first.port}" if first.port else first.address
        return f"service {of_object(self.name)}" if self.name else f"the service at {where}"


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per service whose rule counted packets, or whose connections failed."""
    found = [service for host in facts.listed_hosts.hosts for service in _services(facts, host.dumps)]
    wanted = [s for s in found if s.packets or len(s.failed) or _is_uncounted(s)]
    wanted.sort(key=lambda s: (-len(s.failed), -s.packets, s.name, s.rules[0].lines))
    return [_hypothesis(facts, findings, service) for service in wanted[:SERVICES_MOST]]


def _is_uncounted(service: _Service) -> bool:
    """Only rules without counters name it, and no capture shows who called."""
    return not service.facts.has_packets and not any(rule.counted for rule in service.rules)


def _services(facts: Facts, dumps: Sequence[DumpInput]) -> list[_Service]:
    by_name: dict[str, list[EndpointlessRule]] = {}
    for rule in list_endpointless(dumps):
        by_name.setdefault(rule.service or f"{rule.address}:{rule.port}", []).append(rule)
    return [_Service(facts, rules[0].service, tuple(rules)) for rules in by_name.values()]


def _hypothesis(facts: Facts, findings: Sequence[Case], service: _Service) -> Hypothesis:
    rule = max(service.rules, key=lambda each: each.packets)
    packets = _packets(service)
    counted = _counted(service)
    lost_s = facts.delays.lost_by(service.links)
    return Hypothesis(
        cause=CAUSE,
        title=TITLE,
        role="loss",
        statement=_statement(service, rule),
        prior=PRIOR,
        steps=(_step(service, rule),),
        weighed=(*counted, *packets),
        both_sides=bool(packets) and service.packets > 0,
        independent=service.packets > 0,
        signs=int(service.packets >= COUNTED_LEAST) + int(bool(len(service.failed))),
        findings=about_servers(findings, service.servers),
        time_lost_s=lost_s,
        rivals=_rivals(service),
        missing=_missing(service),
        remedies=_remedies(service, rule),
        references=REFERENCES,
        refutation="it would be refuted by a connection to this service that opens through this node",
        figures=((TIME_LOST, seconds_text(lost_s)), ("packets", f"{service.packets:,}")),
        attempts=service.links,
    )


def _statement(service: _Service, rule: EndpointlessRule) -> str:
    verb = "rejects" if rule.rejects else "drops"
    why = "no endpoint on this node (Local policy)" if rule.local else "no endpoint"
    if len(service.failed):
        what = f"{plural(len(service.failed), 'connection')} to {service.target}"
        return f"{what} failed: it has {why}, and kube-proxy's rule {verb} them."
    named = f"S{service.target[1:]}" if service.name else f"T{service.target[1:]}"
    counted = f", {plural(service.packets, 'packet')} so far" if service.packets else " what is sent to it"
    return f"{named} has {why}: kube-proxy's rule {verb}{counted}."


def _step(service: _Service, rule: EndpointlessRule) -> ClaimPart:
    lines = line_evidence(line for each in service.rules for line in each.lines)
    return ClaimPart(role="step", text=f"The node holds the rule {of_rule(rule.text[:120])}.", evidence=lines)


def _counted(service: _Service) -> list[Weighed]:
    lines = line_evidence(line for each in service.rules for line in each.lines)
    if not any(rule.counted for rule in service.rules):
        text = "The node has this rule; the dump shows no counter."
        return [Weighed(2.0, text, lines, "the rule exists only while there is no endpoint to choose")]
    several = all(rule.listings > 1 for rule in service.rules)
    if not service.packets:
        text = f"The rule counted no packet{' between the dumps' if several else ''}."
        return [Weighed(REFUTES, text, lines, "no packet matched the rule")]
    text = f"The rule counted {plural(service.packets, 'packet')}{' between the dumps' if several else ''}."
    reason = "the counter of the rule that drops or rejects the packet itself"
    few = service.packets < COUNTED_LEAST
    return [Weighed(2.0 if few else 4.0 if several else 3.6, text, lines, reason)]


def _packets(service: _Service) -> list[Weighed]:
    """What the captures say of connections to the service."""
    facts = service.facts
    if not facts.has_packets:
        return []
    lines = line_evidence(line for each in service.rules for line in each.lines)
    tried, failed = len(service.rows), len(service.failed)
    if not tried and all(rule.port is None for rule in service.rules):
        return []
    if not tried:
        text = "The captures hold no connection to this service."
        return [Weighed(-2.0, text, lines, "no captured connection matched the rule")]
    if not failed:
        text = f"{plural(tried, 'connection')} to this service opened in the captures."
        return [Weighed(REFUTES, text, lines, "a connection that opens has an endpoint")]
    if failed * 2 < tried:
        text = f"{tried - failed:,} of {plural(tried, 'connection')} to this service opened."
        reason = "the rule lets no connection through; another node may have an endpoint"
        return [Weighed(-0.5 if service.packets >= failed else -3.0, text, service.frames, reason)]
    pieces = []
    text = f"{failed:,} of {plural(tried, 'connection')} that the rule matches got no SYN-ACK."
    pieces.append(Weighed(1.6, text, service.frames, "the rule lets no connection through"))
    refused = facts.icmp_errors.about(facts.attempts.table["link"][service.failed].tolist(), PORT)
    if len(refused) and service.rules[0].rejects:
        errors, places = facts.icmp_errors, facts.attempts.places
        frames = frame_evidence(
            (places[int(errors.place[n])].input, int(errors.rows["frame"][n])) for n in refused
        )
        text = f"{plural(len(refused), 'ICMP error')} (port unreachable) answered them."
        pieces.append(Weighed(1.0, text, frames, "what REJECT --reject-with icmp-port-unreachable sends"))
    return pieces


def _rivals(service: _Service) -> tuple[RivalPart, ...]:
    if service.packets:
        because = "the rule that counted these packets names the service and the reason"
        return (
            RivalPart(
                cause="firewall-drop", title="Dropped by a firewall rule", status="ruled-out", because=because
            ),
        )
    return ()


def _missing(service: _Service) -> tuple[MissingPart, ...]:
    name = service.name.rpartition("/")
    of = f"-n {name[0]}" if name[0] else "-A"
    parts = [
        MissingPart(
            what="The service's policy and its endpoints, with the node of each",
            command=f"kubectl get service,endpointslices {of} -o yaml",
        )
    ]
    if not service.packets:
        parts.insert(
            0,
            MissingPart(
                what="The counter of the rule before and after a failed connection",
                command="iptables-save -c | grep -E 'has no (local )?endpoints'; "
                "nft list map ip kube-proxy no-endpoint-services",
            ),
        )
    return tuple(parts)


def _remedies(service: _Service, rule: EndpointlessRule) -> tuple[RemedyPart, ...]:
    name = service.name.rpartition("/")
    of = f"-n {name[0]} " if name[0] else "-n NAMESPACE "
    target = name[2] or "NAME"
    proof = "the rule is gone from iptables-save; a new connection opens"
    ready = RemedyPart(
        what="Make a pod of the service ready: compare its selector with the pods' labels, then their readiness",
        command=f"kubectl describe service {of}{target}; kubectl get pods {of}-o wide --show-labels",
        applies_to="Kubernetes services",
        check=f"kubectl get endpointslices {of}-l kubernetes.io/service-name={target}",
        proof=proof,
        undo="Not needed: read-only",
        side_effect="none",
        versions=None,
    )
    if not rule.local:
        return (ready,)
    return (
        RemedyPart(
            what="Let the load balancer send to nodes with an endpoint only: use the service's health check node port",
            command=f"kubectl get service {of}{target} -o jsonpath='{{.spec.healthCheckNodePort}}'",
            applies_to="services of type LoadBalancer with externalTrafficPolicy: Local",
            check="curl -s -o /dev/null -w '%{http_code}\\n' http://NODE:PORT/healthz   # 503: no endpoint here",
            proof="the rule's counter stops rising",
            undo="Restore the previous health check",
            side_effect="nodes without an endpoint leave the load balancer",
            versions=None,
        ),
        RemedyPart(
            what="Set the policy to Cluster: every node then forwards to endpoints on any node",
            command=f'kubectl patch service {of}{target} -p \'{{"spec":{{"externalTrafficPolicy":"Cluster"}}}}\'',
            applies_to="services with a Local traffic policy (internalTrafficPolicy for the cluster address)",
            check=f"kubectl get service {of}{target} -o yaml | grep -i trafficPolicy",
            proof=proof,
            undo=f'kubectl patch service {of}{target} -p \'{{"spec":{{"externalTrafficPolicy":"Local"}}}}\'',
            side_effect="the pods see the node's address instead of the client's; connections may take a second hop",
            versions=None,
        ),
        ready,
    )
