"""A receive queue is not processed: the softirq of its CPU does not run, because another task occupies that CPU.

A network card puts packets into receive queues, each emptied by NAPI on one CPU (net/core/dev.c, net_rx_action). While
a process stays in the kernel on that CPU without giving it up, everything in the queue waits and is then delivered at
once. Which queue a packet goes to is decided by a hash: over addresses and ports for TCP and UDP, over addresses for
ICMP (Documentation/networking/scaling.rst), so with several queues only some flows of two hosts are held. Packet
capture sits behind the queue: the host itself sees its packets arrive late and answers at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from backend.forensics.cases.case import Case
from backend.forensics.cases.rtt_backlog import RttBacklog
from backend.forensics.diagnosis.alternatives import Alternative
from backend.forensics.diagnosis.blocking_process_claims import WHO, blocking_process_claims, who_ran
from backend.forensics.diagnosis.contract import Hypothesis, Weighed
from backend.forensics.diagnosis.held_answers import (
    REQUEST_PATH,
    Held,
    application_rivals,
    capture_at,
    figures,
    held_words,
    kernel_answers,
    one_stall,
    read_held,
    same_end,
    softnet,
    whole,
)
from backend.forensics.diagnosis.measured import harmful
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.kernel.blocking_processes import BlockingProcess
from backend.forensics.findings import plural
from backend.forensics.report import MissingPart, RemedyPart, RivalPart

CAUSE = "receive-queue-stall"
TITLE = "Receive-queue stall (softirq not scheduled)"
ALTERNATIVES: Final = (
    Alternative(
        "Bufferbloat",
        "RTT rises with the bytes that are sent; a stalled queue answers all at one moment whatever was sent",
    ),
    Alternative(
        "Host stall", "the whole host sends nothing meanwhile; with a stalled queue other flows go on"
    ),
    Alternative(
        "A probing program that wakes late", "the capture at the probing host shows the answer in time"
    ),
)
PRIOR = -0.8
"""Held answers are rarely anything else on a local network, but a host, a hypervisor or a link can hold them, too."""

ONE_END = -0.6
"""From one end alone it stays a possibility, unless flows of the same two hosts were answered meanwhile."""
BOTH_WAYS = -4.0
"""A receive queue holds what one host receives."""
BOTH_WAYS_SHARE = 0.25
"""Of the stalls: in most of them nothing of the other direction is under way, so these few show all; one of many may
be another pause at the same moment."""
FEW_STALLS = 3
"""Fewer of one host, without other evidence: nothing of the other direction may have been under way in any of them."""
SPARED_LEAST = 3
SPARED_SHARE = 0.25
"""Stalls in which other flows were answered, at least so many and such a share: in one or two, an ACK that its receiver
held back while others sent theirs at once looks the same when the path pauses."""
LONG_TRANSIT_US = 3_000.0
"""A request and its response need less between two hosts of one network; beyond it there are routers, shapers or
hypervisors in between, each of which may have stopped."""
BETWEEN_CEILING = 0.49
"""A device between the two vantage points may have stopped as well."""

REFERENCES = (
    "GitHub, Debugging network stalls on Kubernetes (2019): 100 ms stalls while cgroup statistics were read",
    "net/core/dev.c: net_rx_action() empties receive queues in a softirq; time_squeeze counts when it had to stop",
    "Documentation/networking/scaling.rst: receive queues are chosen by a hash over addresses and ports",
    "google/cadvisor issues 1774 and 3679: reading memory.stat and referenced memory takes up to seconds",
)


@dataclass(frozen=True)
class _Ways:
    """All stalls of one host, towards whomever. `both` are those in which packets that it sent waited, too."""

    stalls: int
    both: int
    opposite: int
    """Stalls between the same two hosts in the other direction."""

    @property
    def share(self) -> float:
        """Of all stalls those that speak of both directions."""
        return max(self.both / self.stalls, self.opposite / (self.stalls + self.opposite))


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per pair of hosts whose answers were held before the responder's capture point, or anywhere."""
    every = [read_held(case) for case in findings if isinstance(case, RttBacklog)]
    held = [read_held(f) for f in harmful(findings, RttBacklog)]
    return [_hypothesis(facts, each, _ways(each, every)) for each in held if 2 * each.beyond <= each.stalls]


def _ways(held: Held, every: Sequence[Held]) -> _Ways:
    if not held.known:
        return _Ways(held.stalls, held.finding.both_ways_stalls, 0)
    same = [each for each in every if each.stood_still == held.stood_still]
    ends = {held.prober, held.responder}
    opposite = [
        each for each in every if {each.prober, each.responder} == ends and each.known and each not in same
    ]
    return _Ways(
        sum(each.stalls for each in same),
        sum(each.finding.both_ways_stalls for each in same),
        sum(each.stalls for each in opposite),
    )


def _hypothesis(facts: Facts, held: Held, ways: _Ways) -> Hypothesis:
    counters, blocking_processes = softnet(facts, held), who_ran(facts, held.finding)
    claims = [*counters, *blocking_process_claims(blocking_processes)]
    pieces = [
        *_place(held),
        kernel_answers(held),
        same_end(held),
        *_both_ways(held, ways),
        *_partial(held),
        *_period(held),
        *claims,
    ]
    whose = f"A receive queue of {held.stood_still}" if held.known else "A receive queue on the path"
    return Hypothesis(
        cause=CAUSE,
        title=TITLE,
        role="stall",
        statement=f"{whose} stalled {held_words(held)}: packets received meanwhile were answered together.",
        prior=PRIOR,
        steps=one_stall(held),
        weighed=tuple(pieces),
        both_sides=held.known,
        independent=bool(claims),
        signs=int(held.known)
        + int(_spares_flows(held))
        + int(bool(counters))
        + int(bool(blocking_processes)),
        findings=(held.finding.id,),
        time_lost_s=held.finding.time_lost_s,
        rivals=_rivals(held),
        missing=_missing(held, ways, blocking_processes),
        remedies=_remedies(held, blocking_processes),
        references=REFERENCES,
        refutation="it would be refuted by a capture at the host in which the requests arrive on time",
        figures=figures(held),
        ceiling=BETWEEN_CEILING
        if _may_lie_between(held, ways) and not claims and not _spares_flows(held)
        else 0.999,
    )


def _may_lie_between(held: Held, ways: _Ways) -> bool:
    """Whether a device of the path may have held the packets as well as the host."""
    return _far_apart(held) or (held.known and ways.stalls < FEW_STALLS)


def _spares_flows(held: Held) -> bool:
    """Whether other flows of the same two hosts went on, as with one of several receive queues."""
    return held.partial >= max(SPARED_LEAST, SPARED_SHARE * held.stalls)


def _far_apart(held: Held) -> bool:
    """Whether other machines than the two hosts lie between the vantage points, or may."""
    between_us = held.finding.usual_between_captures_us
    return held.known and (held.finding.routed or (between_us is not None and between_us > LONG_TRANSIT_US))


def _both_ways(held: Held, ways: _Ways) -> list[Weighed]:
    if not ways.share:
        return []
    stalls = plural(ways.stalls, "stall")
    if ways.both:
        text = (
            f"In {ways.both} of {stalls} packets of the other direction were delayed between the same two vantage "
            "points, too, and arrived at the same time."
        )
    else:
        text = (
            f"Beside {stalls} there were {ways.opposite:,} in the other direction between the same two hosts."
        )
    reason = "a receive queue delays what one host receives; a device of the path delays both directions"
    return [Weighed(BOTH_WAYS * min(1.0, ways.share / BOTH_WAYS_SHARE), text, whole(held.finding), reason)]


def _place(held: Held) -> list[Weighed]:
    if not held.known:
        text = (
            f"Only one end was captured: {held.prober} itself, the link or a hypervisor may have "
            "delayed the responses."
        )
        reason = "a sleeping Wi-Fi client and a stalled host look the same from one end"
        return [Weighed(ONE_END, text, whole(held.finding), reason)]
    if held.direction == REQUEST_PATH:
        text = (
            f"The requests left {held.prober} on time, reached the vantage point of {held.responder} "
            "late and together, and were answered promptly."
        )
    else:
        text = (
            f"{held.responder} answered promptly; the responses reached the vantage point of "
            f"{held.prober} late and together."
        )
    if _far_apart(held):
        between_ms = (held.finding.usual_between_captures_us or 0.0) / 1e3
        text += f" Request and response need {between_ms:.3g} ms between the two vantage points."
        return [Weighed(0.1, text, whole(held.finding), "a device between the two may have stalled as well")]
    return [
        Weighed(
            2.5, text, whole(held.finding), "a vantage point lies directly behind its host's receive queue"
        )
    ]


def _partial(held: Held) -> list[Weighed]:
    if not held.partial:
        return []
    text = (
        f"In {held.partial} of {plural(held.stalls, 'stall')} other flows of the same two hosts were "
        "answered promptly while these waited; echo replies were delayed in"
        f" {held.echoes}."
    )
    reason = "flows are spread over receive queues by a hash, and only one queue stalled"
    return [Weighed(1.8 if _spares_flows(held) else 0.6, text, whole(held.finding), reason)]


def _period(held: Held) -> list[Weighed]:
    if held.period_s is None:
        return []
    text = f"The stalls begin every {held.period_s:.4g} s."
    reason = "a periodic task blocks the CPU, such as a statistics poller"
    return [Weighed(0.8, text, whole(held.finding), reason)]


def _rivals(held: Held) -> tuple[RivalPart, ...]:
    return (_host(held), _quota(), _queue(held), *application_rivals())


def _host(held: Held) -> RivalPart:
    why, status = (
        "one end alone does not show where in the host, or before it, the responses waited",
        "cannot-tell",
    )
    if held.known:
        why, status = (
            "behind the far vantage point the requests took no longer than the baseline",
            "ruled-out",
        )
    elif held.partial:
        why, status = (
            "a stalled host delays all flows, and others were answered promptly",
            "ruled-out",
        )
    return RivalPart(
        cause="host-stall",
        title="Host stall (vCPU not running)",
        status="ruled-out" if status == "ruled-out" else "cannot-tell",
        because=why,
        command=None if status == "ruled-out" else capture_at(held.prober).command,
    )


def _quota() -> RivalPart:
    return RivalPart(
        cause="cpu-quota-throttling",
        title="CPU quota throttling",
        status="ruled-out",
        because="a quota throttles the threads of a cgroup; the delayed responses are the kernel's own",
    )


def _queue(held: Held) -> RivalPart:
    if held.printed:
        return RivalPart(
            cause="queue-buildup",
            title="Bufferbloat (standing queue)",
            status="cannot-tell",
            because="ping output shows no bytes, so a burst before the batch would not be visible",
            command="tcpdump -i any -y LINUX_SLL2 -s 96 -w prober.pcap",
        )
    return RivalPart(
        cause="queue-buildup",
        title="Bufferbloat (standing queue)",
        status="ruled-out",
        because="each batch began with its longest wait, without a burst before it, and its responses arrived together",
    )


def _missing(
    held: Held, ways: _Ways, blocking_processes: Sequence[BlockingProcess]
) -> tuple[MissingPart, ...]:
    host = held.stood_still or held.responder
    what = (
        f"The process that blocked the CPU of the receive queue of {host}: the process under which each "
        "echo was taken, while probed"
    )
    who = () if blocking_processes else (MissingPart(what=what, command=WHO),)
    counters = MissingPart(
        what=f"The receive counters of {host} before and after",
        command="cat /proc/net/softnet_stat /proc/interrupts; sleep 60; cat /proc/net/softnet_stat /proc/interrupts",
    )
    if _may_lie_between(held, ways) or ways.share:
        return (_BETWEEN, *who, counters)
    return (*who, counters) if held.known else (capture_at(held.prober), *who, counters)


_BETWEEN = MissingPart(
    what="Which device delayed the packets: captures at the routers and hypervisors between the two vantage points",
    command="tcpdump -i any -y LINUX_SLL2 -s 96 -w between.pcap host HOST",
)


def _find(blocking_processes: Sequence[BlockingProcess]) -> str:
    if not blocking_processes:
        return "Find the process that blocks the CPU"
    return f"Inspect what {blocking_processes[0].process} does in the kernel when the stalls end"


def _remedies(held: Held, blocking_processes: Sequence[BlockingProcess]) -> tuple[RemedyPart, ...]:
    host = held.stood_still or f"{held.responder} or {held.prober}"
    proof = f"the same probes for ten minutes: no batched responses above {held.longest}"
    return (
        RemedyPart(
            what=f"{_find(blocking_processes)}, and stop it or run it less often",
            command="perf record -a -g -- sleep 60; perf report --sort comm,symbol",
            applies_to=host,
            check="softirqslower 10000",
            proof=proof,
            undo="Start it again",
            side_effect="its statistics are missing or older",
        ),
        RemedyPart(
            condition="reading memory.stat of dying cgroups takes the time",
            what="Free the caches that keep dying cgroups alive",
            command="echo 2 > /proc/sys/vm/drop_caches",
            applies_to=host,
            check="cat /sys/fs/cgroup/cgroup.stat; time cat /sys/fs/cgroup/memory.stat > /dev/null",
            proof=proof,
            undo="nothing to undo: the caches fill again, and so does the number of dying cgroups",
            side_effect="file names and inodes are read from disk again; it helped some reporters, not all",
        ),
        RemedyPart(
            what="Spread receive work over more CPUs",
            command="ethtool -L eth0 combined N",
            applies_to=host,
            check="ethtool -l eth0; ethtool -x eth0; grep eth0 /proc/interrupts",
            proof=proof,
            undo="ethtool -L eth0 combined with the previous number",
            side_effect="the link goes down for a moment; fewer flows are delayed at a time, the stall itself stays",
        ),
    )
