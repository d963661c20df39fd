"""Answers that come in by another interface, and what to do about a reverse-path filter that drops them."""

from __future__ import annotations

from backend.forensics.evidence.absence.losses import Loss
from backend.forensics.evidence.attempts.retried import Sighting
from backend.forensics.evidence.kernel.reverse_path import COUNTER
from backend.forensics.report import RemedyPart


def other_way(loss: Loss) -> list[Sighting]:
    """Where its SYN-ACK was captured and no SYN of its attempt was."""
    passed = {s.place.number for t in loss.attempt.transmissions for s in t.sightings}
    return [a for a in loss.answered_by if a.place.number not in passed]


def loosen(device: str) -> tuple[RemedyPart, ...]:
    """`device` is the interface that the dropped packets come in by, as the host names it."""
    proof = f"{COUNTER} stops rising; connections of that source open"
    return (
        RemedyPart(
            what=f"Set the filter of {device} to loose mode",
            command=f"sysctl -w net.ipv4.conf.{device}.rp_filter=2",
            applies_to="the host that drops",
            check=f"sysctl net.ipv4.conf.all.rp_filter net.ipv4.conf.{device}.rp_filter; nstat -az {COUNTER}",
            proof=proof,
            undo=f"sysctl -w net.ipv4.conf.{device}.rp_filter=1",
            side_effect="spoofed sources pass that any route covers; files in sysctl.d may set it back at boot",
            versions="the larger of conf.all and the interface's value counts: 0 on the interface alone is not enough",
        ),
        RemedyPart(
            what="Route responses back through the interface the packets arrived on (a rule by source address)",
            command=f"ip rule add from ADDRESS lookup 100; ip route add default via GATEWAY dev {device} table 100",
            applies_to="hosts with several uplinks",
            check="ip route get SOURCE from ADDRESS",
            proof=proof,
            undo="ip rule del from ADDRESS lookup 100; ip route flush table 100",
            side_effect="the responses leave by that uplink",
            versions=None,
        ),
    )
