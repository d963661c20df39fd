"""Facts of what programs stated: traced drops, log lines, clients' errors, hops, histograms, metrics, counters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from backend.forensics.dumps import DropEvent, PathHop
from backend.forensics.evidence.kernel.counters import DumpInput, KernelFacts
from backend.forensics.evidence.kernel.kernel_signs import Line
from backend.forensics.evidence.kernel.listed_signs.drop_reasons import drop_meaning
from backend.forensics.evidence.kernel.listed_signs.log_meanings import log_meaning
from backend.forensics.evidence.kernel.listed_signs.sign import ListingSign, ReadSigns, shown
from backend.forensics.evidence.kernel.reverse_path import arp_martians
from backend.forensics.private_words import of_line, of_object
from backend.forensics.wording import percent, plural

_REASONS_MOST: Final = 5
_LINES_MOST: Final = 50
_KERNEL_WORDS: Final = (
    ("nf_conntrack", "table full", "The connection-tracking table was full: new connections were dropped"),
    ("neighbor table overflow", "", "The neighbor table was full: new neighbors could not be resolved"),
    ("neighbour table overflow", "", "The neighbor table was full: new neighbors could not be resolved"),
    (
        "martian source",
        "",
        "Packets came in by an interface that their source is not reached by (martian source)",
    ),
    ("udp: bad checksum", "", "UDP packets (VXLAN, too) arrived with a wrong checksum and were dropped"),
    ("possible syn flooding", "", "A listener's SYN queue was full"),
    ("sonewconn: ", "listen queue overflow", "A listener's accept queue was full (FreeBSD)"),
    ("time wait bucket table overflow", "", "The table of TIME_WAIT sockets was full"),
    ("out of socket memory", "", "TCP ran out of memory"),
    ("tcp: out of memory", "", "TCP ran out of memory"),
    ("netdev watchdog", "", "A card's transmit queue did not move"),
    ("soft lockup", "", "A CPU did nothing else for seconds"),
    ("ipv6: duplicate address", "", "An address is there twice"),
    ("ipvs: ", "scheduling failed", "IPVS found no real server"),
)
_METRICS: Final = re.compile(
    r"error_?port_?allocation|packets?_?drop|allocation_?fail|out_of_resources|nat_allocation_failed|rejected_?conn|"
    r"target_?connection_?error|kfree_skb_total|snat.{0,20}fail|drop_count|dropped|_allowance_exceeded|insert_failed|5xx",
    re.IGNORECASE,
)
_NOISE: Final = frozenset(
    ("NOT_SPECIFIED", "SKB_CONSUMED", "CONSUMED", "NOT_DROPPED_YET", "TCP_CONNECT_BASIC")
)
_COUNTERS: Final = re.compile(
    r"_allowance_exceeded$|^TcpExtListen(?:Overflows|Drops)$|^TcpExtIPReversePathFilter$|CsumErrors$|"
    r"(?:rx|tx)_(?:dropped|missed_errors|no_buffer|no_dma_resources|discards?)|^insert_failed$|^early_drop$|"
    r"^TcpExtTCPTimeWaitOverflow$|^invalid$"
)


_COUNTED: Final = {
    "TcpExtListenOverflows": "a listener's accept queue was full",
    "TcpExtListenDrops": "SYNs dropped at listeners",
    "TcpExtIPReversePathFilter": "dropped by the reverse-path filter",
    "UdpInCsumErrors": "datagrams with a wrong checksum",
    "TcpInCsumErrors": "segments with a wrong checksum",
    "linklocal_allowance": "DNS, metadata and time services of the cloud",
    "conntrack_allowance": "the cloud's connection tracking",
    "pps_allowance": "packets per second",
    "bw_in_allowance": "inbound bandwidth",
    "bw_out_allowance": "outbound bandwidth",
    "insert_failed": "NAT or insertion clashes",
    "TcpExtTCPTimeWaitOverflow": "closed without TIME_WAIT: net.ipv4.tcp_max_tw_buckets was reached",
    "invalid": "packets of no known connection, or outside its window",
}
"""Counters, by how their names begin, and what they count."""


def drop_signs(dumps: Sequence[DumpInput]) -> Iterator[ListingSign]:
    """Drops by reason and place, the most first."""
    groups: dict[tuple[str, str, str], list[tuple[DropEvent, Line]]] = {}
    for each in dumps:
        for event in each.dump.drops:
            if event.dropped:
                key = event.tool, event.reason, event.place
                groups.setdefault(key, []).append((event, (each.input, event.line)))
    ordered = sorted(groups.items(), key=lambda group: (-sum(e.count for e, _ in group[1]), group[0]))
    for (tool, reason, place), found in ordered[:_REASONS_MOST]:
        count = sum(event.count for event, _ in found)
        why = f" for {reason}" if reason else ""
        where = f" in {of_line(place)}" if place and place != reason else ""
        meaning = drop_meaning(reason, place)
        flows = [_flow(event) for event, _ in found if event.destination]
        of = f": {shown(flows)}" if flows else ""
        yield ListingSign(
            "drop",
            "info" if reason in _NOISE or not (reason or place) else "warning",
            "ICMP errors for packets that were not forwarded"
            if tool == "tcpdump"
            else "Dropped packets, as a tracer saw them",
            f"{tool}: {plural(count, 'packet')} dropped{why}{where}{of}.{meaning}",
            tuple(line for _, line in found[:_LINES_MOST]),
            count,
            "which rule or setting it was"
            if reason.startswith(("NETFILTER", "IPTABLE"))
            else "what led there",
            "iptables-save -c; nft list ruleset; nstat -az",
        )


def audit_signs(dumps: Sequence[DumpInput]) -> Iterator[ListingSign]:
    """Flows that a policy in audit mode let pass and would deny otherwise: Hubble's verdict AUDIT."""
    found = [
        (event, (each.input, event.line))
        for each in dumps
        for event in each.dump.drops
        if event.tool == "hubble" and event.reason and not event.dropped
    ]
    if found:
        yield ListingSign(
            "policy-audit", "info", "Flows that a policy would deny",
            f"{plural(len(found), 'flow')} passed only because of policy audit mode: "
            f"{shown([_flow(event) for event, _ in found])}.",
            tuple(line for _, line in found[:_LINES_MOST]), len(found),
            "which rule would have to allow them",
            "hubble observe -t policy-verdict --last 100 -o json; kubectl get cnp,ccnp -A",
        )  # fmt: skip


def _flow(event: DropEvent) -> str:
    ends = [
        f"{of_object(host)}:{port}" if port else f"{of_object(host)}"
        for host, port in ((event.source, event.source_port), (event.destination, event.destination_port))
    ]
    return f"{ends[0]} → {ends[1]}" + (f" ({event.protocol})" if event.protocol else "")


def kernel_log_signs(dumps: Sequence[DumpInput]) -> Iterator[ListingSign]:
    """Messages that name a loss."""
    seen: set[str] = set()
    arp = arp_martians(dumps)
    if arp:
        yield ListingSign(
            "kernel-log", "info", "ARP requests from unexpected sources",
            "ARP requests came in by an interface that their sender is not reached by (martian source, EtherType "
            f"0x0806; {plural(len(arp), 'log line')}): no packet of a connection was dropped.",
            tuple(sorted(arp)[:_LINES_MOST]), len(arp), "why the segment joins these networks",
            "ip route get SENDER; tcpdump -eni INTERFACE arp",
        )  # fmt: skip
    for first, second, text in _KERNEL_WORDS:
        lines = [
            (each.input, message.line)
            for each in dumps
            for message in each.dump.messages
            if first in message.text.lower()
            and second in message.text.lower()
            and (each.input, message.line) not in arp
        ]
        if lines and text not in seen:
            seen.add(text)
            yield ListingSign(
                "kernel-log", "warning", "The kernel logged drops", f"{text} ({plural(len(lines), 'log line')}).",
                tuple(lines[:_LINES_MOST]), len(lines), "which connections it hit",
                "nstat -az; conntrack -S; dmesg -T   # with the times of the failures",
            )  # fmt: skip


def log_signs(dumps: Sequence[DumpInput]) -> Iterator[ListingSign]:
    """Warnings and errors of components, with the first of each place."""
    groups: dict[tuple[str, str], list[tuple[str, Line, str]]] = {}
    for each in dumps:
        for message in each.dump.log_messages:
            if message.level in ("warning", "error", "fatal"):
                key = message.component, message.place.partition(":")[0]
                groups.setdefault(key, []).append((message.text, (each.input, message.line), message.level))
    ordered = sorted(groups.items(), key=lambda group: (-len(group[1]), group[0]))
    for (component, _), found in ordered[:_REASONS_MOST]:
        worst = any(level != "warning" for _, _, level in found)
        name = component or "A component"
        yield ListingSign(
            "component-log", "warning" if worst else "info",
            "A component logged errors" if worst else "A component logged warnings",
            f"{name} logged {plural(len(found), 'message')} like “{of_line(found[0][0][:200])}”"
            f"{_explained(found[0][0])}.",
            tuple(line for _, line, _ in found[:_LINES_MOST]), len(found), "whether packets were lost meanwhile",
            "kubectl -n kube-system logs POD --timestamps --since=1h",
        )  # fmt: skip


def _explained(text: str) -> str:
    meaning = log_meaning(text)
    return f": {meaning}" if meaning else ""


def client_signs(dumps: Sequence[DumpInput]) -> Iterator[ListingSign]:
    """What clients failed at, by target."""
    groups: dict[tuple[str, int | None], list[tuple[str, Line]]] = {}
    for each in dumps:
        for step in each.dump.client_steps:
            if step.what == "failed":
                groups.setdefault((step.address, step.port), []).append((step.text, (each.input, step.line)))
    if len(groups) > 1 and ("", None) in groups:
        groups.pop(("", None))  # the same failure once more, without its target
    for (address, port), found in sorted(groups.items(), key=lambda group: -len(group[1]))[:_REASONS_MOST]:
        target = f" to {of_object(address)}" + (f":{port}" if port else "") if address else ""
        yield ListingSign(
            "client", "warning", "A client could not connect",
            f"A client failed{target}: “{of_line(found[0][0][:200])}”{_explained(found[0][0])}.",
            tuple(line for _, line in found[:_LINES_MOST]), len(found), "where its packets went",
            f"tcpdump -ni any -w out.pcap host {address or 'ADDRESS'}   # while it fails",
        )  # fmt: skip


def hop_signs(dumps: Sequence[DumpInput], judged_hops: int) -> Iterator[ListingSign]:
    """Loss at the last hops: routers before them answer probes as they like."""
    for each in dumps:
        runs: list[list[PathHop]] = []
        for hop in each.dump.hops:
            if not runs or hop.hop < runs[-1][-1].hop:
                runs.append([])
            runs[-1].append(hop)
        for run in runs:
            last = next((hop for hop in run[-judged_hops:] if hop.loss_percent), run[-1])
            refused = next((hop for hop in run if hop.mark.startswith("!")), None)
            if refused is not None:
                text = _refused_at(refused)
            elif last.loss_percent:
                text = _lost_at(last)
            else:
                continue
            yield ListingSign(
                "hops", "warning", "Probe loss on the path", text, ((each.input, (refused or last).line),), 1,
                "whether the target ignores such probes, and in which direction packets are lost",
                "mtr -rwc 100 --tcp -P PORT ADDRESS; the same from the other end",
            )  # fmt: skip


def _lost_at(hop: PathHop) -> str:
    where = f"{of_object(hop.host)}" if hop.host else "no answer"
    return f"{percent((hop.loss_percent or 0) / 100)} of {hop.sent or 0:,} probes were lost at the last hop ({where})."


def _refused_at(hop: PathHop) -> str:
    where = f"{of_object(hop.host)}" if hop.host else "A router"
    return f"{where} answers {hop.mark} at hop {hop.hop}: it has no route to the target."


def histogram_signs(dumps: Sequence[DumpInput]) -> Iterator[ListingSign]:
    """How many values, and the highest range."""
    for each in dumps:
        for name in dict.fromkeys(bucket.name for bucket in each.dump.histograms):
            rows = [bucket for bucket in each.dump.histograms if bucket.name == name and bucket.count]
            if rows:
                total, top = sum(row.count for row in rows), rows[-1]
                unit = f" {top.unit}" if top.unit else ""
                title = f"{of_line(name)}" if name else "The histogram"
                text = f"{title} holds {total:,} values; {top.count:,} are {top.low:,}{unit} or more."
                yield ListingSign(
                    "histogram", "info", "A histogram", text, ((each.input, top.line),), total,
                    "when the highest ones came", "the same by time: interval:s:1 { print(@); clear(@); }",
                )  # fmt: skip


def metric_signs(dumps: Sequence[DumpInput]) -> Iterator[ListingSign]:
    """Metrics that count failures and are not 0."""
    groups: dict[tuple[str, str], list[tuple[float, Line]]] = {}
    for each in dumps:
        for metric in each.dump.metrics:
            if metric.value > 0 and _METRICS.search(f"{metric.name} {metric.subject}"):
                key = metric.name, metric.subject
                groups.setdefault(key, []).append((metric.value, (each.input, metric.line)))
    for (name, subject), found in sorted(groups.items())[: 2 * _REASONS_MOST]:
        of = f" ({of_line(subject)})" if subject else ""
        most = max(value for value, _ in found)
        yield ListingSign(
            "metric", "warning", "A metric counts failures",
            f"{name}{of} is up to {most:g} in {plural(len(found), 'value')}.",
            tuple(line for _, line in found[:_LINES_MOST]), len(found), "which connections failed",
            "the same metric beside a capture of the same minutes",
        )  # fmt: skip


def counter_signs(dumps: Sequence[DumpInput]) -> Iterator[ListingSign]:
    """Counters of drops that are not 0 where no time makes a rate of them: since boot."""
    found = [entry for each in _last_of_kind(dumps) for entry in _counted(each) if _COUNTERS.search(entry[0])]
    if found:
        yield ListingSign(
            "counter", "info", "Counters of drops are not 0",
            f"Since boot: {shown([f'{name} {value:,}{_meaning(name)}' for name, value, _ in found])}.",
            tuple(line for _, _, lines in found for line in lines)[:_LINES_MOST], len(found),
            "when they rose: one dump shows no rate",
            "the same command again, a minute later, while it fails",
        )  # fmt: skip


def _last_of_kind(dumps: Sequence[DumpInput]) -> Iterator[DumpInput]:
    """Listings taken once, and the last of several without times, between which no rise can be computed."""
    kinds: dict[str, list[DumpInput]] = {}
    for each in dumps:
        kinds.setdefault(each.dump.kind, []).append(each)
    for same in kinds.values():
        if len(same) == 1 or all(each.dump.captured_at_ns is None for each in same):
            yield same[-1]


def _counted(each: DumpInput) -> Iterator[tuple[str, int, list[Line]]]:
    """(name, value, lines) of counters above 0: those of CPUs added up, the last of a listing that was printed twice
    in one text."""
    found: dict[str, tuple[int, list[Line]]] = {}
    for row in each.dump.counters:
        for name, value in row.counters.items():
            if value:
                before, lines = found.get(name, (0, []))
                total = before + value if row.cpu is not None else max(before, value)
                found[name] = total, [*lines, (each.input, row.line)]
    yield from ((name, value, lines) for name, (value, lines) in found.items())


def _meaning(name: str) -> str:
    meaning = next((text for start, text in _COUNTED.items() if name.startswith(start)), "")
    return f" ({meaning})" if meaning else ""


def fallen_counter_signs(kernel: KernelFacts) -> Iterator[ListingSign]:
    """Counters that went down between two listings: a restart, or another host; never a delta."""
    falls: dict[tuple[str, str], list[tuple[str, int, int, tuple[Line, ...]]]] = {}
    for series in kernel.series:
        for step in series.steps:
            if step.rise is None:
                lines = tuple((v.input, line) for v in (step.before, step.after) for line in v.lines[:1])
                key = series.kind, series.host
                falls.setdefault(key, []).append((series.name, step.before.total, step.after.total, lines))
    for (kind, _), found in sorted(falls.items()):
        name, was, now, lines = found[0]
        more = f" and {len(found) - 1:,} more" if len(found) > 1 else ""
        yield ListingSign(
            "fallen-counter", "info", "Counters fell between two dumps",
            f"{kind}: {name}{more} went from {was:,} to {now:,}: a restart in between, or another host. No rise is "
            "computed.",
            lines, len(found), "which of the two it was", "uptime; hostname   # with each dump",
        )  # fmt: skip


EVENT_SIGNS: Final[tuple[ReadSigns, ...]] = (
    drop_signs, audit_signs, kernel_log_signs, log_signs, client_signs, histogram_signs, metric_signs, counter_signs,
)  # fmt: skip
