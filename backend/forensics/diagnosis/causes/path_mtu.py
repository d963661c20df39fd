"""Packets of full size do not pass: the MTU of a link on the path is smaller, and the sender gets no ICMP error.

A router that drops a packet for its size sends an ICMP error with the size that passes (RFC 1191, RFC 8201). Where
that message is filtered, or goes to an address behind NAT or a load balancer, the sender retransmits the same size
without success: a black hole. The common reason is encapsulation: VXLAN adds 50 bytes over IPv4, WireGuard 60, IP in
IP 20."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from backend.forensics.cases.case import Case
from backend.forensics.cases.path_mtu import PathMtu
from backend.forensics.diagnosis.contract import TIME_LOST, Hypothesis, Weighed
from backend.forensics.diagnosis.measured import frames_of, harmful
from backend.forensics.evidence.facts import Facts
from backend.forensics.findings import line_evidence, plural, seconds_text
from backend.forensics.report import ClaimPart, MissingPart, RemedyPart, RivalPart

CAUSE = "path-mtu"
TITLE = "Path MTU black hole"
COLLECT: Final = (
    MissingPart(
        what="The largest packet that passes, and the MTU of every interface on the path",
        command="tracepath -n HOST; ip -d link show",
    ),
)
PRIOR = -1.2
ETHERNET_MTU_BYTES = 1_500
TUNNELS = ("vxlan", "geneve", "ipip", "gre", "wireguard", "tun", "sit")
CLAMP = "FORWARD -p tcp --tcp-flags SYN,RST SYN -j TCPMSS --clamp-mss-to-pmtu"

REFERENCES = (
    "RFC 1191 and RFC 8201: Path MTU Discovery; RFC 2923: its black holes; RFC 8899: probing instead of ICMP",
    "RFC 7348 section 5 and 4.3: VXLAN adds 50 bytes over IPv4, and must not be fragmented",
    "Linux Documentation/networking/ip-sysctl.rst: tcp_mtu_probing, tcp_base_mss",
)


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per pair of hosts whose large packets do not pass."""
    return [_hypothesis(facts, finding) for finding in harmful(findings, PathMtu)]


def _hypothesis(facts: Facts, finding: PathMtu) -> Hypothesis:
    ends = finding.sender.host, finding.receiver.host
    tunnels, has_icmp = _tunnels(facts, finding), bool(finding.icmp_messages)
    size = f"{finding.packet_bytes:,} bytes"
    return Hypothesis(
        cause=CAUSE,
        title=TITLE,
        role="loss",
        statement=(
            f"Packets of {size} from {ends[0]} to {ends[1]} do not pass, smaller ones "
            f"do{'' if has_icmp else ', and the sender gets no ICMP message'}."
        ),
        prior=PRIOR,
        steps=(ClaimPart(role="step", text=finding.summary, evidence=list(finding.evidence)),),
        weighed=(_size(finding), *_smaller(finding), *_icmp_messages(finding), *tunnels),
        both_sides=has_icmp,
        independent=bool(tunnels),
        signs=1,
        findings=(finding.id,),
        time_lost_s=finding.time_lost_s,
        explains=frames_of(finding),
        rivals=_RIVALS,
        missing=_missing(ends[1], finding),
        remedies=_remedies(finding),
        references=REFERENCES,
        refutation="it would be refuted by an acknowledged packet of that size",
        figures=(
            (TIME_LOST, seconds_text(finding.time_lost_s)),
            ("too big", size),
            ("connections", f"{finding.count:,}"),
        ),
    )


def _size(finding: PathMtu) -> Weighed:
    failing, passed = finding.failing_segment_bytes, finding.passed_segment_bytes
    smaller = ["the handshake"] if finding.handshakes else []
    smaller += [f"segments up to {plural(passed, 'byte')}"] if passed else []
    text = (
        f"In {plural(finding.count, 'connection')} segments of {failing:,} bytes or more were "
        "retransmitted repeatedly "
        f"without success, while {' and '.join(smaller)} passed."
    )
    return Weighed(2.2, text, list(finding.evidence), "only the size makes the difference")


def _smaller(finding: PathMtu) -> list[Weighed]:
    """The sender's own fallback (RFC 4821): only the size of its segments changed."""
    if finding.smaller_segment_bytes is None:
        return []
    text = (
        f"In {plural(finding.smaller_connections, 'connection')} the sender then sent the same bytes in segments of "
        f"up to {finding.smaller_segment_bytes:,} bytes, which were acknowledged."
    )
    return [Weighed(1.0, text, list(finding.evidence), "other connections were carried in the meantime")]


def _icmp_messages(finding: PathMtu) -> list[Weighed]:
    has_icmp, mtu = finding.icmp_messages, finding.icmp_mtu_bytes
    if not has_icmp:
        return []
    of = f" of {mtu:,} bytes" if mtu else ""
    text = f"{plural(has_icmp, 'ICMP message')} reported an MTU{of} to the sender, which ignored it."
    return [Weighed(2.0, text, list(finding.evidence), "reported by a router on the path")]


def _tunnels(facts: Facts, finding: PathMtu) -> list[Weighed]:
    """Interfaces of tunnels that a dump lists with an MTU below the packets that failed."""
    size = finding.packet_bytes
    found = [
        (name, interface)
        for name, interface in facts.kernel.interfaces()
        if interface.kind in TUNNELS and interface.mtu_bytes is not None and interface.mtu_bytes < size
    ]
    if not found:
        return []
    shown = ", ".join(sorted({f"{i.name} ({i.kind}) {i.mtu_bytes:,}" for _, i in found})[:3])
    text = f"Tunnel interfaces have an MTU below {size:,} bytes: {shown}."
    lines = line_evidence((name, interface.line) for name, interface in found)
    return [Weighed(1.2, text, lines, "packets routed into them must be smaller")]


_RIVALS = (
    RivalPart(
        cause="path-loss",
        title="Packet loss on the path",
        status="ruled-out",
        because="loss does not depend on size: these segments failed every time, smaller ones passed",
    ),
    RivalPart(
        cause="firewall-drop",
        title="Dropped by a firewall rule",
        status="cannot-tell",
        because="a rule can match the length or the content of large packets; that is rare",
        command="iptables-save -c | grep -E 'length|string'",
    ),
)


def _missing(receiver: str, finding: PathMtu) -> tuple[MissingPart, ...]:
    data = max(0, finding.packet_bytes - 28)
    ping = f"ping -M do -c 3 -s {data} {receiver}; ping -M do -c 3 -s 1200 {receiver}"
    return (
        MissingPart(
            what="The largest packet that passes: the first of these is lost, the second is not",
            command=f"{ping}; tracepath -n {receiver}",
        ),
        MissingPart(what="The MTU of every interface on the path, tunnels first", command="ip -d link show"),
    )


def _overhead(finding: PathMtu) -> str:
    """`` (1,500 + 50 for VXLAN or Geneve = 1,550 is over 1,500)`` for what an encapsulation makes of the packet."""
    size = finding.packet_bytes
    if not finding.overheads:
        return ""
    parts = [f"{size:,} + {added} for {name} = {size + added:,}" for added, name in finding.overheads]
    return f" ({'; '.join(parts)}: over {ETHERNET_MTU_BYTES:,})"


def _remedies(finding: PathMtu) -> tuple[RemedyPart, ...]:
    proof = "large responses arrive without repeated retransmissions"
    return (
        RemedyPart(
            what="Clamp the MSS of new connections to the path MTU",
            command=f"iptables -t mangle -A {CLAMP}",
            applies_to="the node or router in front of the tunnel",
            check="iptables-save -t mangle -c | grep TCPMSS",
            proof=proof,
            undo=f"iptables -t mangle -D {CLAMP}",
            side_effect="helps TCP only, and only connections that open from then on",
        ),
        RemedyPart(
            what=f"Set the MTU of pods to that of the link minus the encapsulation{_overhead(finding)}",
            applies_to="the CNI's configuration; pods get it at their start",
            check="ip -d link show; kubectl exec POD -- ip link show eth0",
            proof=proof,
            undo="Restore the previous MTU",
            side_effect="slightly more packets for bulk data; mixed MTUs until every pod has restarted",
        ),
        RemedyPart(
            what="Enable MTU probing on the senders (RFC 4821)",
            command="sysctl -w net.ipv4.tcp_mtu_probing=1",
            applies_to="the sending host (Linux)",
            check="sysctl net.ipv4.tcp_mtu_probing",
            proof=proof,
            undo="sysctl -w net.ipv4.tcp_mtu_probing=0",
            side_effect="each connection still loses some seconds before it probes",
        ),
    )
