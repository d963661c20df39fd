"""The receiver's application does not read: its window is zero, and the sender waits with data.

TCP reports to the sender how much room is left in the socket's buffer (RFC 9293 section 3.8.6). A window of 0 that the
sender keeps probing shows that no process reads from that buffer: the process is busy, blocked or paused. The network
delivered every packet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from backend.forensics.cases.case import Case
from backend.forensics.cases.zero_window import ZeroWindow
from backend.forensics.diagnosis.alternatives import Alternative
from backend.forensics.diagnosis.contract import TIME_LOST, Hypothesis, Weighed
from backend.forensics.diagnosis.measured import frames_of, harmful
from backend.forensics.dumps import TcpSocket
from backend.forensics.evidence.facts import Facts
from backend.forensics.findings import line_evidence, plural, seconds_text
from backend.forensics.report import ClaimPart, MissingPart, RemedyPart, RivalPart
from backend.forensics.wording import times_text

CAUSE = "zero-window"
TITLE = "Zero window (receiver not reading)"
ALTERNATIVES: Final = (
    Alternative(
        "TCP retransmission timeout", "the sender waits for an ACK; here it has it, with a window of 0"
    ),
    Alternative("Nagle and delayed ACK", "waits are about 40 ms each, and the window stays open"),
)
PRIOR = -0.8
OFTEN = 3
"""So many closed windows are no single pause."""

REFERENCES = (
    "RFC 9293 section 3.8.6: managing the window, and section 3.8.6.1: zero-window probing",
    "Linux tcp(7): tcp_rmem; ss(8): Recv-Q is what the process has not read",
)
_QUEUES = MissingPart(
    what="The process that owns the socket, and its unread bytes (Recv-Q)",
    command="ss -tinp; for i in 1 2 3; do ss -tn | sort -k2 -rn | head -3; sleep 1; done",
)
_STACKS = MissingPart(
    what="What that process does during the zero window",
    command="perf record -g -p PID -- sleep 10; perf script | head -50; cat /proc/PID/stack",
)


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per receiver that closed its window for long."""
    return [_hypothesis(facts, finding) for finding in harmful(findings, ZeroWindow)]


def _hypothesis(facts: Facts, finding: ZeroWindow) -> Hypothesis:
    receiver = finding.server.host
    listed = _listed(facts, finding)
    worst = seconds_text(finding.closed_max_s)
    return Hypothesis(
        cause=CAUSE,
        title=TITLE,
        role="stall",
        statement=(
            f"The application at {receiver} did not read {times_text(finding.count)}, for up to "
            f"{worst}: the sender waited with data."
        ),
        prior=PRIOR,
        steps=(ClaimPart(role="step", text=finding.summary, evidence=list(finding.evidence)),),
        weighed=(*_closed(finding), *listed),
        both_sides=True,
        independent=bool(listed),
        signs=1,
        findings=(finding.id,),
        time_lost_s=finding.time_lost_s,
        explains=frames_of(finding),
        rivals=_rivals(finding),
        missing=(_QUEUES, _STACKS),
        remedies=_remedies(receiver),
        references=REFERENCES,
        refutation="it would be refuted by a receiver whose window stays open while data is late",
        figures=(
            (TIME_LOST, seconds_text(finding.time_lost_s)),
            ("max", worst),
            ("closed", f"{finding.count:,}"),
        ),
    )


def _closed(finding: ZeroWindow) -> list[Weighed]:
    total, proof = seconds_text(finding.closed_total_s), list(finding.evidence)
    text = f"It announced a zero window for {total} in total while the sender filled or probed it."
    pieces = [Weighed(2.2, text, proof, "the receiver itself reports a full buffer")]
    if finding.count >= OFTEN:
        often = f"That happened {finding.count:,} times."
        pieces.append(Weighed(0.6, often, proof, "it is the program's pattern, not a single pause"))
    return pieces


def _listed(facts: Facts, finding: ZeroWindow) -> list[Weighed]:
    """Sockets of the same connections that a dump shows with unread data."""
    ends = {(str(flow.destination), str(flow.source)) for flow in finding.flows}
    lines, unread = [], 0
    for each in facts.kernel.dumps:
        for socket in each.dump.tcp_sockets:
            if socket.receive_queue > 0 and _ends(socket) in ends:
                lines.append((each.input, socket.line))
                unread = max(unread, socket.receive_queue)
    if not lines:
        return []
    text = f"ss lists {plural(len(lines), 'socket')} of it with up to {unread:,} bytes that the process has not read."
    return [Weighed(1.5, text, line_evidence(lines), "the kernel's own count of unread bytes")]


def _ends(socket: TcpSocket) -> tuple[str, str]:
    return _text(socket.local, socket.local_port), _text(socket.peer, socket.peer_port)


def _text(address: str, port: int) -> str:
    bare = address.strip("[]").partition("%")[0].removeprefix("::ffff:")
    return f"[{bare}]:{port}" if ":" in bare else f"{bare}:{port}"


def _rivals(finding: ZeroWindow) -> tuple[RivalPart, ...]:
    opened = finding.count - finding.never_opened
    lost = RivalPart(
        cause="path-loss",
        title="Lost window update",
        status="ruled-out" if opened else "cannot-tell",
        because=(
            f"{opened:,} of {finding.count:,} zero windows ended with a window update"
            if opened
            else "no window update was captured"
        ),
        command=None if opened else _QUEUES.command,
    )
    slow = RivalPart(
        cause="slow-server",
        title="Slow application",
        status="cannot-tell",
        because="whether it reads slowly or waits for another service is not visible from outside",
        command=_STACKS.command,
    )
    return lost, slow


def _remedies(receiver: str) -> tuple[RemedyPart, ...]:
    proof = "no zero window for longer than 0.2 s in a capture under the same load"
    return (
        RemedyPart(
            what=f"Find out why the process at {receiver} does not read: a lock, a slow disk, a full queue behind it",
            applies_to="the receiving application",
            check=f"ss -tinp 'src {receiver}'",
            proof=proof,
            undo="Not needed: read-only",
            side_effect="none known",
        ),
        RemedyPart(
            condition="it only reads in bursts",
            what="Raise the socket buffers",
            command="sysctl -w net.ipv4.tcp_rmem='4096 131072 33554432'",
            applies_to="the receiver's host (Linux); programs that set SO_RCVBUF themselves are not touched",
            check="sysctl net.ipv4.tcp_rmem",
            proof=proof,
            undo="sysctl -w net.ipv4.tcp_rmem='4096 131072 6291456'",
            side_effect="memory for each connection; a slow reader stalls later",
        ),
    )
