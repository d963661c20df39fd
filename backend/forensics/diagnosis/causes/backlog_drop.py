"""A CPU's receive backlog overflows: it gets more packets than it processes, or one CPU receives all of them.

net/core/dev.c, enqueue_to_backlog(): packets that RPS, veth or loopback put into a CPU's queue are dropped when it
holds netdev_max_backlog (1,000 by default); /proc/net/softnet_stat counts them in its second column, and in the
third how often net_rx_action() had to stop with work left. With one receive queue, or one interrupt affinity, and
without RPS, one CPU does this for the whole host."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from backend.forensics.cases.case import Case
from backend.forensics.diagnosis.alternatives import Alternative
from backend.forensics.diagnosis.contract import Hypothesis, Weighed
from backend.forensics.diagnosis.listed_causes import ListedCause, from_listings, on_host
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.kernel.host_signs import HostSigns
from backend.forensics.evidence.kernel.receive_load import ReceiveLoad, find_receive_load
from backend.forensics.findings import line_evidence, plural
from backend.forensics.report import MissingPart, RemedyPart, RivalPart
from backend.forensics.wording import percent, times_text

CAUSE = "backlog-drop"
TITLE = "Receive backlog overflow, or one CPU receives everything"
ALTERNATIVES: Final = (
    Alternative(
        "Packet loss on the path",
        "the counters of softnet_stat stay, and the packet is not in the host's capture of its card",
    ),
)
COLLECT: Final = (
    MissingPart(
        what="The columns of softnet_stat before and after, by CPU",
        command="cat /proc/net/softnet_stat; mpstat -P ALL 1 10; cat /proc/net/softnet_stat",
    ),
)
FEW_DROPS = 10
"""A queue that overflowed for a moment (packets between the listings; since boot it takes a ratio, too)."""
DROPPED_RATIO = 1e-4
"""Of all packets since boot: fewer were lost in moments that nobody noticed."""
ONE_CPU_RATIO = 0.8
"""Share of the busiest CPU from which the others do not help; with equal queues it is 1/CPUs."""
CPUS_LEAST = 4
PACKETS_LEAST = 10_000
"""Fewer packets are no load: one flow of them stays on one CPU by design."""
SQUEEZED_RATIO = 1e-3
"""time_squeeze per packet of the busiest CPU: its budget ended again and again with work left."""

REFERENCES = (
    "net/core/dev.c: enqueue_to_backlog(), net_rx_action(); net/core/net-procfs.c: softnet_seq_show()",
    "Documentation/networking/scaling.rst: RSS, RPS, RFS",
    "Documentation/admin-guide/sysctl/net.rst: netdev_max_backlog, netdev_budget, netdev_budget_usecs",
)
_CAUSE = ListedCause(
    cause=CAUSE,
    title=TITLE,
    prior=-2.5,
    references=REFERENCES,
    refutation="it would be refuted by flat drop columns while packets are lost",
    rivals=(
        RivalPart(
            cause="receive-queue-stall",
            title="Receive-queue stall",
            status="cannot-tell",
            because="a queue that is not emptied for a while delays its packets together before it drops any",
            command="cat /proc/net/softnet_stat; sleep 10; cat /proc/net/softnet_stat; cat /proc/interrupts",
        ),
    ),
    remedies=(
        RemedyPart(
            what="Spread the packets over the CPUs: one receive queue for each, or RPS where the device has one queue",
            command="ethtool -L DEVICE combined N   # or: echo CPUMASK > /sys/class/net/DEVICE/queues/rx-0/rps_cpus",
            applies_to="the host that drops",
            check="ethtool -l DEVICE; grep . /sys/class/net/DEVICE/queues/rx-*/rps_cpus; cat /proc/interrupts",
            proof="the first column of softnet_stat rises on all CPUs; the second stays flat",
            undo="ethtool -L DEVICE combined OLD; echo 0 > /sys/class/net/DEVICE/queues/rx-0/rps_cpus",
            side_effect="a new number of queues resets the device: the link is down for a moment",
            versions=None,
        ),
        RemedyPart(
            what="Let bursts wait instead: raise netdev_max_backlog",
            command="sysctl -w net.core.netdev_max_backlog=5000",
            applies_to="the host that drops, where bursts and no constant load do it",
            check="sysctl net.core.netdev_max_backlog net.core.netdev_budget net.core.netdev_budget_usecs",
            proof="the second column of softnet_stat stays flat",
            undo="sysctl -w net.core.netdev_max_backlog=1000",
            side_effect="packets of a burst wait longer",
            versions=None,
        ),
    ),
)


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per host that dropped from a queue, or of which one CPU works at its limit."""
    found = []
    for host in facts.listed_hosts.hosts:
        load = find_receive_load(host.kernel)
        if load is None:
            continue
        dropped, alone = _dropped(load), _alone(load)
        if dropped or len(alone) > 1:
            found.append(_hypothesis(host, load, [*dropped, *alone]))
    return found


def _hypothesis(host: HostSigns, load: ReceiveLoad, pieces: list[Weighed]) -> Hypothesis:
    total = sum(load.dropped.values())
    if total:
        worst = max(load.dropped, key=lambda cpu: (load.dropped[cpu], -cpu))
        statement = (
            f"{plural(total, 'packet')} were dropped from the receive queues of the CPUs{on_host(host)}, "
            f"most on CPU {worst}."
        )
    else:
        statement = (
            f"CPU {load.busiest} received {percent(load.busiest_ratio)} of {load.total:,} packets{on_host(host)} "
            "and did not keep up."
        )
    command = "cat /proc/net/softnet_stat; sleep 10; cat /proc/net/softnet_stat; cat /proc/interrupts"
    missing = (MissingPart(what="The columns before and after, with the load of each CPU", command=command),)
    figures = (("dropped", f"{total:,}"), ("busiest CPU", percent(load.busiest_ratio)))
    return from_listings(_CAUSE, statement, pieces, missing=missing, figures=figures)


def _dropped(load: ReceiveLoad) -> list[Weighed]:
    cpus = [cpu for cpu, count in load.dropped.items() if count]
    total = sum(load.dropped.values())
    if not total:
        return []
    evidence = line_evidence(load.of(cpus))
    reason = "each of them had reached the host and went no further"
    of = f"from the queues of {plural(len(cpus), 'CPU')}"
    if load.listings > 1:
        text = f"{plural(total, 'packet')} were dropped {of} between the dumps."
        return [Weighed(3.6 if total >= FEW_DROPS else 1.5, text, evidence, reason)]
    ratio = total / max(1, load.total)
    text = f"{plural(total, 'packet')} of {load.total:,} were dropped {of} since boot."
    weight = 2.6 if ratio >= DROPPED_RATIO and total >= FEW_DROPS else 0.8
    return [Weighed(weight, text, evidence, f"{reason}; a single dump does not show when")]


def _alone(load: ReceiveLoad) -> list[Weighed]:
    """One CPU does the work of all, and does not keep up."""
    if len(load.processed) < CPUS_LEAST or load.total < PACKETS_LEAST or load.busiest_ratio < ONE_CPU_RATIO:
        return []
    cpu, lines = load.busiest, line_evidence(load.of(sorted(load.processed)))
    share, cpus = percent(load.busiest_ratio), len(load.processed)
    text = f"CPU {cpu} took {share} of {load.total:,} packets; there are {cpus:,} CPUs."
    pieces = [Weighed(1.4, text, lines, "the other CPUs do not help: one queue, or one interrupt affinity")]
    squeezed = load.squeezed[cpu]
    if squeezed >= SQUEEZED_RATIO * load.processed[cpu]:
        text = f"Its budget ended {times_text(squeezed)} with packets left (time_squeeze)."
        reason = "it does not keep up with what arrives"
        pieces.append(Weighed(1.8, text, line_evidence(load.of([cpu])), reason))
    return pieces
