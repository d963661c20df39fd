"""Nagle's algorithm and a delayed ACK wait for each other: each request is delayed by the receiver's ACK timer.

The sender's second small write is held back until the first is acknowledged (RFC 896), the receiver's acknowledgement
until its timer runs out or it has data to send (RFC 1122 section 4.2.3.2). Neither end is broken; a program that writes
in two pieces before it waits for an answer meets both. TCP_NODELAY (tcp(7)) ends it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from backend.forensics.cases.case import Case
from backend.forensics.cases.delayed_ack import DelayedAck
from backend.forensics.diagnosis.alternatives import Alternative
from backend.forensics.diagnosis.contract import TIME_LOST, Hypothesis, Weighed
from backend.forensics.diagnosis.measured import first_packets, frames_of, harmful
from backend.forensics.evidence.facts import Facts
from backend.forensics.findings import frame_evidence, plural, seconds_text
from backend.forensics.report import ClaimPart, MissingPart, RemedyPart, RivalPart

CAUSE = "delayed-ack"
TITLE = "Nagle / delayed-ACK interaction"
ALTERNATIVES: Final = (
    Alternative(
        "A slow application",
        "the wait is not about 40 ms, and does not end with a bare ACK that releases a small segment",
    ),
    Alternative("TCP retransmission", "the segment after the wait is new data, and no byte was sent twice"),
)
PRIOR = -1.0
MANY = 10
"""So many waits of one time, each ended by an acknowledgement, are no coincidence."""

REFERENCES = (
    "RFC 896: Congestion Control in IP/TCP Internetworks (Nagle)",
    "RFC 1122 section 4.2.3.2 and 4.2.3.4: when to send an ACK, when to send data",
    "Linux include/net/tcp.h: TCP_DELACK_MIN (HZ / 25, 40 ms), TCP_DELACK_MAX (HZ / 5, 200 ms)",
    "Linux tcp(7): TCP_NODELAY, TCP_QUICKACK, TCP_CORK",
)


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per server and side whose writes waited noticeably."""
    return [_hypothesis(case) for case in harmful(findings, DelayedAck)]


def _hypothesis(case: DelayedAck) -> Hypothesis:
    server, writer, first = case.server, case.writer, case.instances[0]
    wait = seconds_text(case.wait_median_ms / 1e3)
    step = ClaimPart(
        role="step",
        text=(
            f"The {writer} wrote; {first.waited_ms:,.1f} ms later a pure ACK arrived, and only "
            "then the next write was sent."
        ),
        evidence=frame_evidence(first.packets),
    )
    pieces = _pieces(case)
    return Hypothesis(
        cause=CAUSE,
        title=TITLE,
        role="stall",
        statement=(
            f"{plural(case.count, 'write')} of the {writer} on connections to {server} waited {wait} "
            "(median) for a delayed ACK."
        ),
        prior=PRIOR,
        steps=(step,),
        weighed=pieces,
        both_sides=True,
        independent=False,
        signs=len(pieces) - 1,
        findings=(case.id,),
        time_lost_s=case.time_lost_s,
        explains=frames_of(case),
        rivals=_rivals(case),
        missing=(_SOCKET,),
        remedies=_remedies(writer),
        references=REFERENCES,
        refutation="it would be refuted by second writes sent before the ACK",
        figures=(
            (TIME_LOST, seconds_text(case.time_lost_s)),
            ("each", wait),
            ("writes", f"{case.count:,}"),
        ),
    )


_SOCKET = MissingPart(
    what="Whether the program sets TCP_NODELAY, and whether it writes one message with two system calls",
    command="strace -f -e trace=setsockopt,write,writev,sendto,sendmsg -p PID",
)


def _pieces(case: DelayedAck) -> tuple[Weighed, ...]:
    follows, trip, wait = case.follows_median_ms, case.round_trip_median_ms, case.wait_median_ms
    pieces = [
        Weighed(
            1.2,
            f"{case.count:,} ACKs came {wait:,.0f} ms (median) after the write; the RTT is {trip:,.2f} ms.",
            first_packets(case),
            "the length of the delayed-ACK timer, not of the path",
        ),
        Weighed(
            1.0,
            f"The next write was sent {follows:,.2f} ms (median) after each of them.",
            first_packets(case),
            "it had waited for the ACK: a program with its own timer does not match it every time",
        ),
    ]
    if case.count >= MANY:
        text = f"{case.count:,} times in {case.connections:,} connections."
        pieces.append(
            Weighed(0.6, text, first_packets(case), "the program writes in this pattern every time")
        )
    return tuple(pieces)


def _rivals(case: DelayedAck) -> tuple[RivalPart, ...]:
    trip = case.round_trip_median_ms
    return (
        RivalPart(
            cause="slow-server",
            title="Slow application",
            status="ruled-out",
            because="the writer had not sent the rest of its message: the application could not answer yet",
        ),
        RivalPart(
            cause="queue-buildup",
            title="High propagation delay or bufferbloat",
            status="ruled-out",
            because=f"the handshake RTT of the same connections is {trip:,.2f} ms",
        ),
    )


def _remedies(writer: str) -> tuple[RemedyPart, ...]:
    proof = "the second write is sent immediately, in a capture under the same load"
    reader = "server" if writer == "client" else "client"
    return (
        RemedyPart(
            what="Write each message with one call: put header and body together (writev, a buffered writer)",
            applies_to=f"the {writer}'s program",
            check="strace -f -e trace=write,writev,sendto,sendmsg -p PID",
            proof=proof,
            undo="Restore the previous code",
            side_effect="none known; fewer packets",
        ),
        RemedyPart(
            what="Set TCP_NODELAY on the connection: small writes are sent immediately",
            applies_to=f"the {writer}'s program or its library's settings",
            check="strace -f -e trace=setsockopt -p PID",
            proof=proof,
            undo="Remove the option",
            side_effect="many small packets where a program writes byte by byte",
        ),
        RemedyPart(
            condition=f"the {writer} cannot be changed",
            what=f"Let the {reader} acknowledge immediately (quickack) on the route to the {writer}",
            command="ip route change PREFIX via GATEWAY dev DEVICE quickack 1",
            applies_to=f"the {reader}'s host (Linux)",
            check="ip route show PREFIX",
            proof=proof,
            undo="ip route change PREFIX via GATEWAY dev DEVICE",
            side_effect="an acknowledgement for every segment on all connections over that route",
        ),
    )
