"""TCP segments arrive with a wrong checksum: the receiver's kernel drops them, and the sender repeats them.

net/ipv4/tcp_ipv4.c, tcp_v4_rcv(): a segment whose checksum is wrong is dropped and counted in TcpInCsumErrors (and
TcpInErrs). Behind veth, TUN or a program that rewrites packets this is a checksum left to a device that does not
fill it in. A capture at the *sender* shows such checksums for every packet that its card completes: that is no
error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from backend.forensics.cases.case import Case
from backend.forensics.diagnosis.alternatives import Alternative
from backend.forensics.diagnosis.contract import Hypothesis, Weighed
from backend.forensics.diagnosis.damaged_packets import damaged_packets
from backend.forensics.diagnosis.listed_causes import ListedCause, from_listings, on_host
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.kernel.host_signs import HostSigns
from backend.forensics.evidence.kernel.kernel_signs import counter_rise
from backend.forensics.findings import line_evidence
from backend.forensics.report import MissingPart, RemedyPart

CAUSE = "inner-checksum-drop"
TITLE = "TCP segments with a wrong checksum"
ALTERNATIVES: Final = (
    Alternative(
        "Checksum offload seen at the sender",
        "the sum is that of the pseudo header, only packets that leave have it, and the receiver acknowledges them",
    ),
    Alternative(
        "Packet loss on the path",
        "the receiver's capture does not have the segment; here it has it, with a wrong checksum",
    ),
)
COLLECT: Final = (
    MissingPart(
        what="Wrong checksums at the receiver, and its counter",
        command="tcpdump -ni eth0 -vv tcp | grep incorrect; nstat -az TcpInCsumErrors",
    ),
)
COUNTER: Final = "TcpInCsumErrors"
FEW = 3
MANY = 20
"""A bad link damages a few segments; offload that is not completed spoils all of a kind (segments)."""

REFERENCES = (
    "net/ipv4/tcp_ipv4.c: tcp_v4_rcv(), TCP_MIB_CSUMERRORS",
    "Documentation/networking/checksum-offloads.rst",
)
_STATEMENT: Final = "The kernel dropped TCP segments{} for a wrong checksum; their senders repeat them."
_COUNTER_LISTING: Final = MissingPart(
    what="Whether the receiver's kernel counts them", command=f"nstat -az {COUNTER}; ip -s link"
)
_CAUSE = ListedCause(
    cause=CAUSE,
    title=TITLE,
    prior=-2.5,
    references=REFERENCES,
    refutation="it would be refuted by a flat TcpInCsumErrors while segments are repeated",
    remedies=(
        RemedyPart(
            what="Let the sender's kernel compute the checksums",
            command="ethtool -K INTERFACE tx off",
            applies_to="the sender's interface (veth, TUN, virtual machine)",
            check=f"ethtool -k INTERFACE | grep checksum; nstat -az {COUNTER}   # at the receiver",
            proof=f"{COUNTER} of the receiver stops rising",
            undo="ethtool -K INTERFACE tx on",
            side_effect="the CPU computes checksums, and segmentation offload ends with them",
            versions=None,
        ),
    ),
)


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per host that counted such segments; one for all that were captured where nobody counted."""
    seen = damaged_packets(facts, of_tunnel=False)
    counted = [(host, pieces) for host in facts.listed_hosts.hosts if (pieces := _counted(host))]
    if not counted and seen:
        return [from_listings(_CAUSE, _STATEMENT.format(""), seen, missing=(_COUNTER_LISTING,))]
    shared = seen if len(counted) == 1 else []  # else it is not known whose they are
    return [_hypothesis(host, [*pieces, *shared]) for host, pieces in counted]


def _hypothesis(host: HostSigns, pieces: list[Weighed]) -> Hypothesis:
    statement = _STATEMENT.format(on_host(host))
    command = (
        f"nstat -az {COUNTER}; tcpdump -vv -ni eth0 tcp | grep incorrect; ethtool -k eth0 | grep checksum"
    )
    missing = (MissingPart(what="Whose segments they are, seen at the receiver", command=command),)
    return from_listings(_CAUSE, statement, pieces, missing=missing)


def _counted(host: HostSigns) -> list[Weighed]:
    rise = counter_rise(host.kernel, "nstat", COUNTER)
    if rise is None or rise.by < FEW:
        return []
    text = f"{COUNTER} rose by {rise.by:,} between the dumps."
    reason = "the kernel counts each segment that it drops for this"
    return [Weighed(3.6 if rise.by >= MANY else 2.0, text, line_evidence(rise.lines), reason)]
