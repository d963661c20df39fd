"""An outgoing connection has the source port of a service of its node: its answer goes to the service's endpoint.

What a program (eBPF, IPVS, a rule before conntrack) takes for a service is looked up before the connection that an
answer belongs to. Source NAT and local programs that may choose the same port then lose the answers of those
connections, and of no others: MASQUERADE chooses from 1024 to 65535, and ip_local_port_range may reach below 32768."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from backend.forensics.cases.case import Case
from backend.forensics.diagnosis.alternatives import Alternative
from backend.forensics.diagnosis.contract import Hypothesis, Weighed
from backend.forensics.diagnosis.lost_syns import about, figures_of, hurt, impact_of, lossy, of_kind
from backend.forensics.evidence.attempts.retried import Endpoint
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.kernel.kernel_signs import settings_of
from backend.forensics.evidence.kernel.port_ranges import rule_ranges
from backend.forensics.evidence.losses.destinations import Destination
from backend.forensics.evidence.nat.misdelivered import Misdelivered, destination_of
from backend.forensics.findings import frame_evidence, line_evidence, plural
from backend.forensics.report import ClaimPart, EvidencePart, MissingPart, RemedyPart, RivalPart

CAUSE = "nodeport-port-collision"
TITLE = "Source port that a NodePort service has, too"
ALTERNATIVES: Final = (
    Alternative(
        "Packet loss on the return path", "the SYN-ACK is not seen again; here it leaves for another host"
    ),
    Alternative(
        "SNAT source-port collision",
        "the SYN is lost in the node; here it is answered, and the answer misdelivered",
    ),
)
NODE_PORTS: Final = (30_000, 32_767)
"""kube-apiserver: --service-node-port-range."""
SEVERAL = 3
"""Connections: fewer may be a rule that was just written."""
PRIOR = -2.0
"""Rare, and plain where it is seen: nothing else sends the answer of one connection to another host."""

REFERENCES = (
    "kube-apiserver: --service-node-port-range (30000 to 32767)",
    "Documentation/networking/ip-sysctl.rst: ip_local_port_range, ip_local_reserved_ports",
    "net/netfilter/nf_nat_core.c: nf_nat_l4proto_unique_tuple() chooses from 1024 to 65535",
    "cilium issue 23604, kubernetes issue 111682, felix pull request 2983",
)
_MISSING = MissingPart(
    what="Ports of services and of source NAT: do they overlap?",
    command="kubectl get services -A | grep -E 'NodePort|LoadBalancer'; sysctl net.ipv4.ip_local_port_range "
    "net.ipv4.ip_local_reserved_ports; iptables-save -t nat | grep -E 'MASQUERADE|SNAT'",
)


@dataclass(frozen=True)
class _Case:
    facts: Facts
    d: Destination
    answers: Misdelivered
    tried: int
    """Connections of the destination whose SYN-ACK was seen and that sent their SYN again."""

    @property
    def to(self) -> tuple[Endpoint, ...]:
        """Where the answers went, the most frequent first."""
        rows = self.facts.attempts.sightings.rows[self.answers.left]
        ends, counts = np.unique(
            np.stack(
                [rows[f"destination_{part}"].astype(np.uint64) for part in ("high", "low", "port")], axis=1
            ),
            axis=0,
            return_counts=True,
        )
        return tuple(Endpoint(*(int(value) for value in ends[n])) for n in np.argsort(-counts, kind="stable"))

    @property
    def ports(self) -> np.ndarray[tuple[int], np.dtype[np.uint16]]:
        """To which the answers came: the source ports of their connections behind NAT."""
        found: np.ndarray[tuple[int], np.dtype[np.uint16]] = self.facts.attempts.sightings.rows[
            "destination_port"
        ][self.answers.arrived]
        return found

    @property
    def frames(self) -> list[EvidencePart]:
        seen = self.facts.attempts.sightings
        pairs = zip(self.answers.arrived.tolist(), self.answers.left.tolist(), strict=True)
        rows = [row for pair in pairs for row in pair]
        return frame_evidence((seen.places[seen.place[n]].input, int(seen.rows["frame"][n])) for n in rows)


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per destination whose SYN-ACKs were sent on to another host."""
    found = []
    for d in facts.destinations:
        links = {loss.attempt.link for loss in of_kind(d, "return")}
        answers = facts.misdelivered.of(np.array(sorted(links), np.int64)) if links else ()
        if isinstance(answers, Misdelivered) and len(answers) >= SEVERAL:
            found.append(_hypothesis(findings, _Case(facts, d, answers, len(links))))
    return found


def _hypothesis(findings: Sequence[Case], case: _Case) -> Hypothesis:
    facts, d, to = case.facts, case.d, case.to[0]
    weighed = (*_sent_on(case), *_ports(case), *_ranges(case), *lossy(facts, d))
    return Hypothesis(
        cause=CAUSE,
        title=TITLE,
        role="loss",
        statement=f"{hurt(d)} waited: their SYN-ACKs were sent to {to} instead.",
        prior=PRIOR,
        steps=(_step(case),),
        weighed=weighed,
        both_sides=True,
        independent=bool(_ranges(case)),
        signs=len(weighed),
        findings=about(findings, d),
        time_lost_s=0.0,
        rivals=(_LOST,),
        missing=(_MISSING,),
        remedies=_REMEDIES,
        references=REFERENCES,
        refutation="none found; it would be refuted by a SYN-ACK to one of these ports that reached its client",
        figures=figures_of(facts, d),
        impact=impact_of(facts, d),
        attempts=tuple(case.answers.link.tolist()),
        returning=True,
    )


def _step(case: _Case) -> ClaimPart:
    seen = case.facts.attempts.sightings
    arrived, left = int(case.answers.arrived[0]), int(case.answers.left[0])
    came, went = (destination_of(seen.rows[n]) for n in (arrived, left))
    text = (
        f"A SYN-ACK came to {came} ({seen.places[seen.place[arrived]].word}) and left for {went} "
        f"({seen.places[seen.place[left]].word})."
    )
    frames = ((seen.places[seen.place[n]].input, int(seen.rows["frame"][n])) for n in (arrived, left))
    return ClaimPart(role="step", text=text, evidence=frame_evidence(frames))


def _sent_on(case: _Case) -> list[Weighed]:
    number = len(case.answers)
    of = f"{number:,} of {plural(case.tried, 'connection')}"
    text = f"The SYN-ACKs of {of} left for {case.to[0]}, not for the client."
    return [
        Weighed(
            3.4 * number / case.tried, text, case.frames, "the answer itself, as it leaves for another host"
        )
    ]


def _ports(case: _Case) -> list[Weighed]:
    ports = case.ports
    inside = int(np.count_nonzero((ports >= NODE_PORTS[0]) & (ports <= NODE_PORTS[1])))
    text = (
        f"{inside:,} of the {len(ports):,} source ports lie within {NODE_PORTS[0]} to {NODE_PORTS[1]}, the range of "
        "NodePort services."
    )
    if inside == len(ports):
        return [Weighed(1.0, text, case.frames, "source NAT without a range takes one port in 23 from there")]
    return []


def _ranges(case: _Case) -> list[Weighed]:
    """What a node chooses source ports from reaches into the ports of services."""
    pieces = []
    for value, line in settings_of(case.facts.node, "net.ipv4.ip_local_port_range"):
        first, last = (int(word) for word in value.split()[:2]) if len(value.split()) >= 2 else (0, 0)
        if first <= NODE_PORTS[1] and last >= NODE_PORTS[0]:
            text = f"ip_local_port_range is {first} to {last}."
            pieces.append(Weighed(0.5, text, line_evidence([line]), "local programs take ports of services"))
            break
    for ports in rule_ranges(case.facts.node):
        if ports.first <= NODE_PORTS[1] and ports.last >= NODE_PORTS[0]:
            lines = line_evidence([(name, number) for name, number, _ in ports.rules])
            text = f"A source NAT rule chooses from {ports.first} to {ports.last}."
            pieces.append(Weighed(0.7, text, lines, "the rule takes ports of services"))
            break
    return pieces


_LOST = RivalPart(
    cause="return-path-loss",
    title="Packet loss on the return path",
    status="ruled-out",
    because="the SYN-ACKs were captured as they left for another host",
)
_REMEDIES = (
    RemedyPart(
        what="Let source NAT choose ports above those of services: --to-ports 32768-65535 in its rule",
        applies_to="MASQUERADE and SNAT rules of the node, its CNI plugin or masquerade agent",
        check="iptables-save -t nat | grep -E 'MASQUERADE|SNAT'",
        proof="no SYN of the node's address has a source port of a service, and each connection opens at once",
        undo="Restore the previous rule",
        side_effect="fewer ports for connections to one destination",
    ),
    RemedyPart(
        what="The same in Calico",
        command="kubectl patch felixconfiguration default --type merge -p "
        """'{"spec":{"natPortRange":"32768:65535"}}'""",
        applies_to="clusters with Calico",
        check="kubectl get felixconfiguration default -o yaml",
        proof="no SYN of the node's address has a source port of a service",
        undo="the same command with null",
        side_effect="fewer ports for connections to one destination",
    ),
    RemedyPart(
        condition="these connections are of the node's own programs or of pods of the host's network",
        what="Keep local programs off the ports of services",
        command="sysctl -w net.ipv4.ip_local_reserved_ports=30000-32767",
        applies_to="nodes whose ip_local_port_range begins below 32768",
        check="sysctl net.ipv4.ip_local_port_range net.ipv4.ip_local_reserved_ports",
        proof="ss -tn shows no local port within 30000 to 32767 for outgoing connections",
        undo="sysctl -w net.ipv4.ip_local_reserved_ports=",
        side_effect="none: programs may still bind to these ports by number",
    ),
)
