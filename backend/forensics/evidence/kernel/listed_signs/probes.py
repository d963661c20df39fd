"""Facts of what tools measured or saw end: no replies, failed requests, sockets that retransmit, removed entries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from backend.forensics.dumps import ProbeSeries, TcpSocket
from backend.forensics.dumps.probes import NOT_SHOWN, PROBE_REFUSED
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.evidence.kernel.kernel_signs import Line
from backend.forensics.evidence.kernel.listed_signs.sign import ListingSign, ReadSigns, shown
from backend.forensics.private_words import of_object
from backend.forensics.wording import percent, plural

_PROBES_LEAST: Final = 2
_LOST_RATIO_LEAST: Final = 0.05
"""Below it a first request that waited for ARP explains the loss."""
_LINES_MOST: Final = 50
_SERIES_MOST: Final = 5
_IPV4_HEADERS_BYTES: Final = 28
_IPV6_HEADERS_BYTES: Final = 48
"""IP and ICMP, without options."""
_SLOW_MS: Final = 1_000
"""The first retransmission of a SYN (RFC 6298 section 2.1)."""
_RESOLVER_S: Final = 5
"""resolv.conf(5): timeout."""
_NEAR_S: Final = 0.3
_ANSWERED_S: Final = 0.6
"""What the query that was answered took, behind those that were not."""
_STEPS: Final = {
    "dns": ("Slow name lookups", "Looking up the name"),
    "tcp": ("Slow TCP handshakes", "The TCP handshake"),
}
_LIMITED_RATIO: Final = 0.2


def echo_signs(dumps: Sequence[DumpInput]) -> Iterator[ListingSign]:
    """Targets of `ping`, and of echo requests that tcpdump printed, which did not reply to all."""
    signs = [sign for each in dumps for sign in _of_listing(each)]
    signs.sort(key=lambda sign: -sign.count)
    yield from signs[:_SERIES_MOST]


def _of_listing(each: DumpInput) -> Iterator[ListingSign]:
    rows = each.dump.probes.rows
    for number, series in enumerate(each.dump.probe_series):
        if series.kind != "icmp" or series.tool not in ("ping", "tcpdump"):
            continue
        own = rows[rows["series"] == number]
        replied = max(int((own["rtt_ns"] != NOT_SHOWN).sum()), series.received or 0)
        refused = own[(own["marks"] & PROBE_REFUSED) != 0]
        sent = max(series.sent or 0, len(own))
        lost = sent - replied
        if sent < _PROBES_LEAST or lost < _LOST_RATIO_LEAST * sent or lost < 1:
            continue
        lines = (
            (each.input, series.line),
            *((each.input, int(line)) for line in refused["line"][:_LINES_MOST]),
        )
        yield _sign(series, sent, lost, len(refused), lines)


def _sign(series: ProbeSeries, sent: int, lost: int, refused: int, lines: tuple[Line, ...]) -> ListingSign:
    target = of_object(series.address or series.target) if series.address or series.target else "the target"
    text = f"{lost:,} of {sent:,} ICMP echo requests to {target} got no reply"
    if refused:
        text += f", {refused:,} of them an ICMP error instead"
    if series.path_mtu:
        return _too_large(series, text, lost, lines)
    return ListingSign(
        "echo", "warning" if lost == sent else "info", "ICMP echo requests without a reply", f"{text}.", lines, lost,
        "whether the requests or the replies were lost, and where",
        f"tcpdump -eni any icmp and host {series.address or 'ADDRESS'}   # on both hosts",
    )  # fmt: skip


def _too_large(series: ProbeSeries, text: str, lost: int, lines: tuple[Line, ...]) -> ListingSign:
    size = f", requests of {_packet_bytes(series):,} bytes do not fit" if series.data_bytes else ""
    asked = series.address or "ADDRESS"
    return ListingSign(
        "path-mtu", "warning", "Packets larger than the MTU of the path",
        f"{text}: the MTU to it is {series.path_mtu or 0:,} bytes{size}.", lines, lost,
        "which link it is, and whether TCP learns of it",
        f"tracepath -n {asked}; ip route get {asked}; ip -d link",
    )  # fmt: skip


def size_signs(dumps: Sequence[DumpInput]) -> Iterator[ListingSign]:
    """Targets that reply to all small echo requests and to no large one, and nobody named an MTU."""
    runs: dict[str, list[tuple[ProbeSeries, Line]]] = {}
    for each in dumps:
        for series in each.dump.probe_series:
            if series.tool == "ping" and series.data_bytes and series.sent and series.received is not None:
                runs.setdefault(series.address, []).append((series, (each.input, series.line)))
    for address, found in runs.items():
        whole = [run for run in found if run[0].received == run[0].sent]
        lost = [run for run in found if not run[0].received and (run[0].sent or 0) >= _PROBES_LEAST]
        if not whole or not lost or any(series.path_mtu for series, _ in found):
            continue
        passes = max(whole, key=lambda run: _packet_bytes(run[0]))
        fails = min(lost, key=lambda run: _packet_bytes(run[0]))
        if _packet_bytes(passes[0]) < _packet_bytes(fails[0]):
            yield ListingSign(
                "path-mtu", "warning", "Large packets get no reply, small ones do",
                f"Echo requests of {_packet_bytes(passes[0]):,} bytes to {of_object(address)} were all answered, those "
                f"of {_packet_bytes(fails[0]):,} bytes were not, and no ICMP error named an MTU.",
                (passes[1], fails[1]), len(lost), "which link drops them",
                f"tracepath -n {address}; ip -d link; iptables -t mangle -A FORWARD -p tcp --tcp-flags SYN,RST SYN "
                "-j TCPMSS --clamp-mss-to-pmtu   # as a test",
            )  # fmt: skip


def _packet_bytes(series: ProbeSeries) -> int:
    headers = _IPV6_HEADERS_BYTES if ":" in series.address else _IPV4_HEADERS_BYTES
    return (series.data_bytes or 0) + headers


def curl_signs(dumps: Sequence[DumpInput]) -> Iterator[ListingSign]:
    """Lookups and handshakes of curl that took as long as a retransmission or a resolver's time-out."""
    for each in dumps:
        rows = each.dump.probes.rows
        for number, series in enumerate(each.dump.probe_series):
            if series.tool != "curl" or series.kind not in _STEPS:
                continue
            own = rows[(rows["series"] == number) & (rows["rtt_ns"] != NOT_SHOWN)]
            slow = own[own["rtt_ns"] >= _SLOW_MS * 1_000_000]
            if len(slow):
                most_s = float(slow["rtt_ns"].max()) / 1e9
                title, step = _STEPS[series.kind]
                of = f"in {len(slow):,} of {plural(len(own), 'request')}"
                yield ListingSign(
                    "curl", "warning", title,
                    f"{step} took up to {most_s:,.3f} s {of}{_timer_near(series.kind, most_s)}.",
                    tuple((each.input, int(line)) for line in slow["line"][:_LINES_MOST]), len(slow),
                    "which packet was lost, and where", "tcpdump -ni any -s 96 -w out.pcap   # while it runs",
                )  # fmt: skip


def _timer_near(kind: str, took_s: float) -> str:
    if kind == "dns":
        near = next((n for n in range(1, 4) if -_NEAR_S <= took_s - n * _RESOLVER_S <= _ANSWERED_S), None)
        return f": {near} × the resolver's time-out of 5 s, so queries went unanswered" if near else ""
    lost = next((n for n in range(1, 8) if abs(took_s - (2**n - 1)) <= _NEAR_S), None)
    if lost is None:
        return ""
    return (
        f": {plural(lost, 'SYN or SYN-ACK', 'SYNs or SYN-ACKs')} lost (1, 3, 7 … s are TCP's retransmissions)"
    )


def load_signs(dumps: Sequence[DumpInput]) -> Iterator[ListingSign]:
    """Load tests with failed requests, or whose slowest request took a second longer than the median."""
    for each in dumps:
        load = each.dump.load
        if load is None:
            continue
        requests, failed, most, median = map(
            load.figure, ("requests", "failed", "total.max_ms", "total.p50_ms")
        )
        bad = int(failed.value) if failed is not None else 0
        is_slow = most is not None and most.value - (median.value if median else 0) >= _SLOW_MS
        if not bad and not is_slow:
            continue
        of = f" of {requests.value:,.0f}" if requests is not None else ""
        parts = [f"{bad:,}{of} requests failed"] if bad else []
        if most is not None and is_slow:
            against = f" (median {median.value:,.1f} ms)" if median is not None else ""
            parts.append(f"the slowest took {most.value:,.0f} ms{against}")
        found = [figure for figure in (failed, most) if figure is not None]
        yield ListingSign(
            "load", "warning" if bad else "info", "Failed or slow requests of a load test",
            f"{load.tool}: {'; '.join(parts)}.", tuple((each.input, figure.line) for figure in found), max(bad, 1),
            "whether they waited to connect or to be served", "tcpdump -ni any -s 96 -w out.pcap   # while it runs",
        )  # fmt: skip


def socket_signs(dumps: Sequence[DumpInput]) -> Iterator[ListingSign]:
    """Sockets of `ss -ti` that retransmitted much, back off now, or wait for their peer's window."""
    found: list[tuple[float, TcpSocket, Line, str]] = []
    for each in dumps:
        for socket in each.dump.tcp_sockets:
            share, text = _slowed(socket)
            if text:
                found.append((share, socket, (each.input, socket.line), text))
    found.sort(key=lambda entry: -entry[0])
    for _, socket, line, text in found[:_SERIES_MOST]:
        yield ListingSign(
            "socket", "info", "A socket that retransmits or waits",
            f"{socket.local}:{socket.local_port} → {of_object(socket.peer)}:{socket.peer_port}: {text}.", (line,), 1,
            "when, and in which direction packets were lost", "ss -tin; nstat -az TcpRetransSegs   # twice",
        )  # fmt: skip


def _slowed(socket: TcpSocket) -> tuple[float, str]:
    """(share of segments retransmitted, what the numbers say), "" without."""
    numbers = socket.metrics
    sent, again = (
        numbers.get("data_segs_out") or numbers.get("segs_out") or 0,
        numbers.get("retrans_total") or 0,
    )
    parts = []
    share = again / sent if sent else 0.0
    if again and (share >= _LOST_RATIO_LEAST or not sent):
        parts.append(
            f"{again:,.0f} segments retransmitted" + (f" of {sent:,.0f} ({percent(share)})" if sent else "")
        )
    if numbers.get("backoff"):
        parts.append(
            f"its retransmission timer has doubled {numbers['backoff']:.0f} times (rto {numbers.get('rto', 0):,.0f} ms)"
        )
    busy, limited = numbers.get("busy") or 0, numbers.get("rwnd_limited") or 0
    if busy and limited >= _LIMITED_RATIO * busy:
        parts.append(f"the peer's window held it back for {limited:,.0f} of {busy:,.0f} ms (rwnd_limited)")
    return share, "; ".join(parts)


def event_signs(dumps: Sequence[DumpInput]) -> Iterator[ListingSign]:
    """Entries that `conntrack -E` saw removed without a reply."""
    for each in dumps:
        rows = each.dump.entries.rows
        if not len(rows) or each.dump.kind != "conntrack-events":
            continue
        found = [
            e
            for e in each.dump.entries
            if e.event == "DESTROY" and "UNREPLIED" in e.flags and e.protocol == "tcp"
        ]
        if found:
            ends = [
                f"{e.original.source}:{e.original.source_port} → {e.original.destination}:{e.original.destination_port}"
                for e in found
            ]
            yield ListingSign(
                "unreplied-event", "warning", "Connections without a reply",
                f"{plural(len(found), 'TCP entry was', 'TCP entries were')} removed without a reply (UNREPLIED): "
                f"{shown(ends)}.", tuple((each.input, e.line) for e in found[:_LINES_MOST]), len(found),
                "where their SYNs were lost", "tcpdump -ni any -w out.pcap 'tcp[tcpflags] & (tcp-syn|tcp-rst) != 0'",
            )  # fmt: skip


PROBE_SIGNS: Final[tuple[ReadSigns, ...]] = (
    echo_signs,
    size_signs,
    curl_signs,
    load_signs,
    socket_signs,
    event_signs,
)
