"""The listener's accept queue is full: the server's kernel drops the SYN and answers a retransmission.

Linux drops a SYN while the accept queue is full (net/ipv4/tcp_input.c, tcp_conn_request(): sk_acceptq_is_full counts
TcpExtListenOverflows and, with every other drop there, TcpExtListenDrops); the last ACK of a handshake is dropped,
too, after which the server retransmits its SYN-ACK."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from backend.forensics.cases.case import Case
from backend.forensics.diagnosis.alternatives import Alternative
from backend.forensics.diagnosis.contract import Hypothesis, Weighed
from backend.forensics.diagnosis.loss_rivals import SAMPLE_LIKE_P, SIGNIFICANT_P, list_rivals
from backend.forensics.diagnosis.lost_syns import (
    CAPTURE_BOTH_SIDES,
    LISTEN_COUNTERS,
    REFUTES,
    about,
    figures_of,
    hurt,
    impact_of,
    loss_evidence,
    lossy,
    of_kind,
    one_instance,
)
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.kernel.kernel_signs import counter_rise
from backend.forensics.evidence.losses.data_loss import compare_later_losses
from backend.forensics.evidence.losses.destinations import Destination
from backend.forensics.findings import frame_evidence, line_evidence, plural
from backend.forensics.report import RemedyPart
from backend.forensics.significance import fisher_exact_p
from backend.forensics.wording import p_text

CAUSE = "listen-overflow"
TITLE = "Accept queue overflow"
ALTERNATIVES: Final = (
    Alternative(
        "SNAT source-port collision", "the SYN never leaves the node; at a full queue it reaches the server"
    ),
    Alternative(
        "Packet loss on the path",
        "later data segments are lost as often as SYNs; a full queue loses openings alone",
    ),
)
SYN_QUEUE_TITLE = "SYN queue overflow"
PRIOR = -2.0
"""One of several ways for a SYN to get no answer from a server that answers others."""
COUNTERS = ("TcpExtListenOverflows", "TcpExtListenDrops")

DEFAULTS = {
    50: "the default of Java's ServerSocket",
    128: "net.core.somaxconn before Linux 5.4",
    511: "the default of Node.js and nginx",
    4096: "net.core.somaxconn from Linux 5.4",
}
"""Backlogs that nobody chose: listen(2); nodejs.org server.listen(); nginx.org listen; java.net.ServerSocket."""

REFERENCES = (
    "net/ipv4/tcp_input.c: tcp_conn_request() drops the SYN while sk_acceptq_is_full()",
    "listen(2): the backlog is cut to net.core.somaxconn (4096 since Linux 5.4, 128 before)",
)


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per endpoint that opened other connections, with SYNs that stayed unanswered."""
    return [_hypothesis(facts, findings, d) for d in facts.destinations if _fits(facts, d)]


def _fits(facts: Facts, d: Destination) -> bool:
    unanswered = of_kind(d, "beyond", "one-sided")
    return d.opened > 0 and len(unanswered) * 2 > len(d.losses) and (not d.silent or bool(_queues(facts, d)))


def _hypothesis(facts: Facts, findings: Sequence[Case], d: Destination) -> Hypothesis:
    counters, queues, repeated = _counters(facts, d), _queues(facts, d), _repeated_answers(facts, d)
    pieces = [*_place(d), *_later(d), *_others(facts, d), *repeated, *counters, *queues, *lossy(facts, d)]
    only_syn_queue = _only_syn_queue(facts, d) and not queues
    queue = "SYN queue" if only_syn_queue else "accept queue"
    kernel_agrees = any(p.weight > 0 for p in (*counters, *queues))
    return Hypothesis(
        cause=CAUSE,
        title=SYN_QUEUE_TITLE if only_syn_queue else TITLE,
        role="loss",
        statement=(
            f"{hurt(d)} waited although the server accepts others: its {queue} seems to have overflowed."
        ),
        prior=PRIOR,
        steps=tuple(one_instance(d)),
        weighed=tuple(pieces),
        both_sides=bool(of_kind(d, "beyond")),
        independent=kernel_agrees,
        signs=int(kernel_agrees) + int(bool(repeated)),
        findings=about(findings, d),
        time_lost_s=0.0,
        rivals=()
        if kernel_agrees
        else list_rivals(
            facts,
            d,
            "path-loss",
            "return-path-loss",
            "snat-port-race",
            "ipvs-port-reuse",
            "conntrack-full",
            "firewall-drop",
        ),
        missing=(LISTEN_COUNTERS, CAPTURE_BOTH_SIDES),
        remedies=_SYN_QUEUE_REMEDIES if queue == "SYN queue" else _remedies(d),
        references=REFERENCES,
        refutation="it would be refuted by listen counters that stay flat while SYNs are retransmitted",
        figures=figures_of(facts, d),
        impact=impact_of(facts, d),
        attempts=d.links,
    )


def _place(d: Destination) -> list[Weighed]:
    beyond = of_kind(d, "beyond")
    pieces = []
    if beyond:
        text = f"{len(beyond):,} of {d.losses.in_words} were captured as far out as {d.outermost.word}."
        reason = "they were sent to the server; only a capture there shows whether they arrived"
        pieces.append(Weighed(0.8 * len(beyond) / len(d.losses), text, loss_evidence(d, beyond), reason))
    elif d.one_sided:
        text = f"The lost SYNs were captured on {d.outermost.word} only; where they were lost is unknown."
        pieces.append(
            Weighed(0.2, text, loss_evidence(d), "one vantage point cannot show where a SYN was lost")
        )
    inside = of_kind(d, "inside")
    if inside:
        text = f"{len(inside):,} of {d.losses.in_words} were lost before the server: {inside[0].where}."
        weight = REFUTES * len(inside) / len(d.losses)
        pieces.append(
            Weighed(
                weight, text, loss_evidence(d, inside), "SYNs that did not arrive cannot overflow a queue"
            )
        )
    return pieces


def _later(d: Destination) -> list[Weighed]:
    opened = [a for a in d.attempts if a.outcome == "established"]
    if not opened:
        return []
    text = f"{len(opened):,} of {plural(len(d.attempts), 'attempt')} opened after the SYN was retransmitted."
    frames = frame_evidence((a.place.input, a.frame) for attempt in opened for a in attempt.answers)
    return [
        Weighed(
            0.5, text, frames or loss_evidence(d), "a queue has room as soon as one connection is accepted"
        )
    ]


def _others(facts: Facts, d: Destination) -> list[Weighed]:
    """Other ports of the host and data: a queue belongs to one listener and touches only SYNs."""
    pieces = []
    p_value = _port_chance(d)
    text = f"{d.opened:,} of {plural(d.tried, 'attempt')} to this port opened"
    if d.neighbours_answered:
        others = f"of {d.neighbours_answered:,} to other ports of the host {d.neighbours_delayed:,} waited"
        text = f"{text}; {others} ({p_text(p_value)})."
        weight = 1.2 if p_value < SIGNIFICANT_P else 0.4 if not d.neighbours_delayed else -0.8
        pieces.append(
            Weighed(weight, text, loss_evidence(d), "each listener has its own queue; Fisher's exact test")
        )
    else:
        pieces.append(Weighed(0.2, f"{text}.", loss_evidence(d), "the server answers others"))
    rates = compare_later_losses(facts.data_of_hosts, d)
    if rates.data_again >= 3 and rates.p_syns_more > SAMPLE_LIKE_P:
        text = f"{rates.in_words}: data is lost as often ({p_text(rates.p_syns_more)})."
        pieces.append(
            Weighed(
                -2.0,
                text,
                loss_evidence(d),
                "a full queue drops SYNs and the first data, nothing later",
            )
        )
    return pieces


def _port_chance(d: Destination) -> float:
    """Probability that one port's connections wait so much more often than its neighbours' by chance."""
    if not d.neighbours_answered:
        return 1.0
    waited = len(d.attempts)
    neighbours = (d.neighbours_delayed, d.neighbours_answered - d.neighbours_delayed)
    return fisher_exact_p(((waited, max(0, d.tried - waited)), neighbours), "greater")


def _repeated_answers(facts: Facts, d: Destination) -> list[Weighed]:
    """Connections to the port whose SYN-ACK the server repeated although the client had acknowledged it."""
    place = d.outermost
    again = facts.repeated_answers.frames(place, d.hosts, d.endpoint.port)
    if not again:
        return []
    many = plural(len(again), "connection")
    text = f"The server retransmitted its SYN-ACK in {many} that the client had acknowledged."
    frames = frame_evidence((place.input, frame) for frame in again)
    return [Weighed(1.2, text, frames, "it dropped the final ACK, as a full accept queue does")]


def _counters(facts: Facts, d: Destination) -> list[Weighed]:
    kernel = facts.kernel_at(d.endpoint)
    rises = [r for name in COUNTERS if (r := counter_rise(kernel, "nstat", name)) is not None]
    if not rises:
        return []
    evidence = line_evidence(line for r in rises for line in r.lines)
    text = ", ".join(f"{r.name} +{r.by:,}" for r in rises) + f" {rises[0].between_dumps}."
    if _only_syn_queue(facts, d):
        reason = "SYNs were dropped at a listener whose accept queue had room: its SYN queue was full"
        return [Weighed(3.0, text, evidence, reason)]
    if any(r.by for r in rises):
        return [Weighed(3.0, text, evidence, "the kernel counts every SYN that it drops at a listener")]
    return [Weighed(REFUTES, text, evidence, "every SYN dropped at a listener would be counted")]


def _only_syn_queue(facts: Facts, d: Destination) -> bool:
    """Every drop for a full accept queue is counted in both: what ListenDrops alone counts was dropped before."""
    kernel = facts.kernel_at(d.endpoint)
    overflows, drops = (counter_rise(kernel, "nstat", name) for name in COUNTERS)
    return overflows is not None and drops is not None and not overflows.by and drops.by > 0


def _queues(facts: Facts, d: Destination) -> list[Weighed]:
    """ss -lnt: Recv-Q above Send-Q is a queue that is full."""
    full = [
        (each.input, s)
        for each in facts.kernel_at(d.endpoint).dumps
        for s in each.dump.listen_sockets
        if s.port == d.endpoint.port and s.receive_queue > s.send_queue > 0
    ]
    if not full:
        return []
    socket = full[0][1]
    default = f" ({DEFAULTS[socket.send_queue]})" if socket.send_queue in DEFAULTS else ""
    text = f"ss: {socket.receive_queue} connections queued on port {socket.port}, backlog {socket.send_queue}{default}."
    return [Weighed(2.5, text, line_evidence((n, s.line) for n, s in full), "the queue is over its limit")]


def _remedies(d: Destination) -> tuple[RemedyPart, ...]:
    proof = "nstat: TcpExtListenOverflows and TcpExtListenDrops stop rising under the same load"
    return (
        RemedyPart(
            what="Accept faster: more workers, or a dedicated accept loop",
            command=None,
            applies_to="the server program",
            check=f"ss -lnt 'sport = :{d.endpoint.port}'   # Recv-Q waits, Send-Q is the backlog",
            proof=proof,
            undo="Restore the previous number of workers",
            side_effect="more workers need more memory and database connections",
            versions=None,
        ),
        RemedyPart(
            what="Raise the listen() backlog of the program and net.core.somaxconn, then restart the program",
            command="sysctl -w net.core.somaxconn=4096",
            applies_to="the server's network namespace",
            check="sysctl net.core.somaxconn",
            proof=proof,
            undo="sysctl -w net.core.somaxconn=128",
            side_effect="hides a slow accept loop: clients then wait in the queue",
            versions="the limit is 4096 by default from Linux 5.4, 128 before",
        ),
    )


_SYN_QUEUE_REMEDIES = (
    RemedyPart(
        what="Enable SYN cookies for a full SYN queue",
        command="sysctl -w net.ipv4.tcp_syncookies=1",
        applies_to="the server's network namespace",
        check="nstat -az TcpExtTCPReqQFullDrop TcpExtTCPReqQFullDoCookies; ss -nt state syn-recv | wc -l",
        proof="nstat: TcpExtListenDrops and TcpExtTCPReqQFullDrop stop rising under the same load",
        undo="sysctl -w net.ipv4.tcp_syncookies=0",
        side_effect="without TCP timestamps such connections have no window scaling and no SACK",
        versions=None,
    ),
    RemedyPart(
        what="Raise the SYN queue: the listen() backlog of the program and the kernel limits",
        command="sysctl -w net.ipv4.tcp_max_syn_backlog=8192 net.core.somaxconn=4096",
        applies_to="the server's network namespace; then restart the program",
        check="sysctl net.ipv4.tcp_max_syn_backlog net.core.somaxconn",
        proof="nstat: TcpExtListenDrops and TcpExtTCPReqQFullDrop stop rising under the same load",
        undo="Restore the previous two values",
        side_effect="a SYN flood uses more memory",
        versions=None,
    ),
)
