"""Packets of an overlay arrive with a wrong outer UDP checksum and are dropped before they are unpacked.

net/ipv4/udp.c, __udp4_lib_rcv() and udp_queue_rcv_one_skb(): a datagram whose checksum is wrong is dropped, counted
in UdpInCsumErrors and logged ("UDP: bad checksum. From … to …:8472"). A sender whose card is to fill in the checksum
of what was translated twice writes a wrong one (kubernetes/kubernetes#92035); connections then wait 1, 3 or 63 s for
a retransmission that is not marked for translation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from backend.forensics.cases.case import Case
from backend.forensics.diagnosis.alternatives import Alternative
from backend.forensics.diagnosis.contract import Hypothesis, Weighed
from backend.forensics.diagnosis.damaged_packets import damaged_packets
from backend.forensics.diagnosis.listed_causes import ListedCause, from_listings, on_host
from backend.forensics.diagnosis.lost_syns import about
from backend.forensics.diagnosis.segment_cases import SegmentCase, segment_cases
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.kernel.host_signs import HostSigns
from backend.forensics.evidence.kernel.kernel_signs import Line, counter_rise, messages_with
from backend.forensics.evidence.losses.destinations import Destination
from backend.forensics.evidence.overlay_paths import overlay_links
from backend.forensics.findings import frame_evidence, line_evidence, plural
from backend.forensics.report import MissingPart, RemedyPart, RivalPart

CAUSE = "overlay-bad-checksum"
TITLE = "Overlay packets with a wrong outer checksum"
ALTERNATIVES: Final = (
    Alternative(
        "Path MTU black hole",
        "small packets pass; with a bad checksum the first packet of every connection is lost",
    ),
    Alternative("Wrong checksum of the inner segment", "TcpInCsumErrors rises and UdpInCsumErrors stays"),
)
COLLECT: Final = (
    MissingPart(
        what="Whose outer checksums are wrong, at the receiver, and its counter",
        command="tcpdump -ni eth0 -vv udp port 8472 | grep 'bad udp cksum'; nstat -az UdpInCsumErrors",
    ),
)
COUNTER: Final = "UdpInCsumErrors"
FEW = 3
LINES_MOST = 50
"""Fewer datagrams are those of a bad link (datagrams between the listings)."""
COUNTED_SHARE = 0.5
"""A counter that rose by this share of the retransmitted packets is about them."""
OVERLAY_PORTS: Final = frozenset((4789, 8472, 6081))
"""VXLAN (RFC 7348), VXLAN by Linux habit, Geneve (RFC 8926)."""
_LOGGED = re.compile(r"UDP: bad checksum\. From \S{7,60} to \S{7,60}:(\d{1,5})\b", re.IGNORECASE)

REFERENCES = (
    "net/ipv4/udp.c: udp_queue_rcv_one_skb(), __udp4_lib_rcv()",
    "kubernetes/kubernetes#92035, flannel-io/flannel#1243",
)
_CAUSE = ListedCause(
    cause=CAUSE,
    title=TITLE,
    prior=-2.5,
    references=REFERENCES,
    refutation="it would be refuted by a flat UdpInCsumErrors while packets of the overlay are lost",
    rivals=(
        RivalPart(
            cause="path-mtu",
            title="Path MTU black hole",
            status="cannot-tell",
            because="only large packets would be lost, also between pods; a wrong checksum loses SYNs from nodes",
            command="ping -M do -s 1422 POD",
        ),
    ),
    remedies=(
        RemedyPart(
            what="Let the kernel compute the checksum on the sender's overlay interface",
            command="ethtool -K flannel.1 tx-checksum-ip-generic off",
            applies_to="the node that sends",
            check="ethtool -k flannel.1 | grep tx-checksum-ip-generic; nstat -az UdpInCsumErrors   # at the receiver",
            proof="UdpInCsumErrors of the receiver stops rising; connections from the node open at once",
            undo="ethtool -K flannel.1 tx-checksum-ip-generic on",
            side_effect="the sender's CPU computes the checksums of what it encapsulates",
            versions=None,
        ),
    ),
)


@dataclass(frozen=True)
class _Lost:
    """What was lost of connections that were captured inside an overlay."""

    destinations: tuple[Destination, ...]
    cases: tuple[SegmentCase, ...]

    @property
    def packets(self) -> int:
        return sum(len(d.losses) for d in self.destinations) + sum(case.count for case in self.cases)


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per host that logged such datagrams, or counted them and has an overlay."""
    found = []
    lost: _Lost | None = None
    seen = damaged_packets(facts, of_tunnel=True) if len(facts.listed_hosts.hosts) == 1 else []
    for host in facts.listed_hosts.hosts:
        logged, counted = _logged(host), _counted(host)
        overlay = _overlay(host) if counted else []
        printed = _printed(facts, host)
        if logged or overlay or printed:
            lost = lost or _lost(facts, findings)
            own = lost if _is_counted(host, lost) else None
            found.append(_hypothesis(host, [*logged, *counted, *overlay, *printed, *seen], findings, own))
    return found


def _lost(facts: Facts, findings: Sequence[Case]) -> _Lost:
    inside = overlay_links(facts)
    destinations = tuple(d for d in facts.destinations if d.links and inside.issuperset(d.links))
    servers = {server for d in destinations for server in d.servers}
    cases = (case for case in segment_cases(facts, findings) if destinations)
    return _Lost(destinations, tuple(case for case in cases if case.finding.target in servers))


def _is_counted(host: HostSigns, lost: _Lost) -> bool:
    """The host dropped about as many datagrams for their checksum as packets of the overlay were lost."""
    rise = counter_rise(host.kernel, "nstat", COUNTER)
    return rise is not None and rise.by >= max(FEW, COUNTED_SHARE * lost.packets) and lost.packets >= FEW


def _hypothesis(
    host: HostSigns, pieces: list[Weighed], findings: Sequence[Case], lost: _Lost | None
) -> Hypothesis:
    statement = (
        f"Packets of the overlay arrived{on_host(host)} with a wrong outer UDP checksum and were dropped."
    )
    command = f"nstat -az {COUNTER}; dmesg | grep 'bad checksum'; tcpdump -vv -ni eth0 udp port 8472 | grep 'bad udp'"
    missing = (MissingPart(what="Which sender's checksums are wrong, seen at the receiver", command=command),)
    if lost is None:
        return from_listings(_CAUSE, statement, pieces, missing=missing)
    listed = from_listings(_CAUSE, statement, [*pieces, *_matching(lost)], missing=missing)
    named = {name for d in lost.destinations for name in about(findings, d)}
    return replace(
        listed,
        attempts=tuple(n for d in lost.destinations for n in d.links),
        explains=frozenset(frame for case in lost.cases for fate in case.fates for frame in fate.frames),
        findings=tuple(sorted(named | {case.finding.id for case in lost.cases})),
    )


def _matching(lost: _Lost) -> list[Weighed]:
    """Lost packets that were captured in the overlay, as many as the counter at most explains."""
    frames = [
        (s.place.input, s.frame)
        for d in lost.destinations
        for x in d.losses
        for s in x.transmission.sightings
    ]
    frames += [frame for case in lost.cases for fate in case.fates for frame in fate.frames]
    text = f"{plural(lost.packets, 'packet')} of connections inside the overlay had to be retransmitted."
    reason = (
        "no more than the host dropped for their outer checksum, and such a drop is a loss of one of them"
    )
    return [Weighed(2.4, text, frame_evidence(frames), reason)]


def _logged(host: HostSigns) -> list[Weighed]:
    """Datagrams to the port of an overlay."""
    ports = OVERLAY_PORTS | {i.vxlan_port for d in host.dumps for i in d.dump.interfaces if i.vxlan_port}
    lines: list[Line] = []
    for text, line in messages_with(host.kernel, "bad checksum"):
        match = _LOGGED.search(text)
        if match is not None and int(match[1]) in ports:
            lines.append(line)
    if not lines:
        return []
    text = f"The kernel logged {plural(len(lines), 'datagram')} to the overlay's port with a bad checksum."
    return [Weighed(3.6, text, line_evidence(lines), "written where the datagram is dropped")]


def _printed(facts: Facts, host: HostSigns) -> list[Weighed]:
    """What tcpdump printed of the outer packets. A sender's own capture shows wrong ones wherever the card fills them
    in: it says something only where what is inside is retransmitted in vain."""
    lines = [(d.input, line) for d in host.dumps for line in d.dump.wrong_tunnel_checksums]
    lost = [d for d in facts.destinations if len(d.losses) and not d.opened]
    if len(lines) < FEW or not lost:
        return _mixed(host)
    text = f"tcpdump calls the outer checksum of {plural(len(lines), 'packet')} wrong."
    piece = Weighed(1.6, text, line_evidence(lines[:LINES_MOST]), "the receiver drops such a datagram unread")
    text = f"The SYNs inside were retransmitted, and none was answered: {lost[0].endpoint}."
    frames = frame_evidence(lost[0].frames())
    return [piece, Weighed(1.2, text, frames, "offload alone would not lose them")]


def _mixed(host: HostSigns) -> list[Weighed]:
    """Offload leaves each checksum wrong in the sender's own capture, not one beside right ones."""
    lines = [(d.input, line) for d in host.dumps for line in d.dump.mixed_tunnel_checksums]
    if not lines:
        return []
    text = (
        f"tcpdump calls the outer checksum of {plural(len(lines), 'packet')} wrong, and that of others of the "
        "same host right."
    )
    return [Weighed(0.9, text, line_evidence(lines[:LINES_MOST]), "offload would leave all of them wrong")]


def _counted(host: HostSigns) -> list[Weighed]:
    rise = counter_rise(host.kernel, "nstat", COUNTER)
    if rise is None or rise.by < FEW:
        return []
    text = f"{COUNTER} rose by {rise.by:,} between the dumps."
    return [
        Weighed(
            1.8, text, line_evidence(rise.lines), "the kernel counts each datagram that it drops for this"
        )
    ]


def _overlay(host: HostSigns) -> list[Weighed]:
    lines = [
        (d.input, i.line)
        for d in host.dumps
        for i in d.dump.interfaces
        if i.kind in ("vxlan", "geneve") or i.vxlan_port or i.name.startswith(("flannel.", "vxlan", "geneve"))
    ]
    if not lines:
        return []
    return [Weighed(0.4, "The host has an overlay interface.", line_evidence(lines), "overlays send UDP")]
