"""What listings say of long transfers and of idle connections: retransmissions of iperf3, time-outs below keepalive."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.evidence.kernel.kernel_signs import Line
from backend.forensics.evidence.kernel.listed_signs.sign import ListingSign, ReadSigns
from backend.forensics.wording import plural

_KEEPALIVE: Final = "net.ipv4.tcp_keepalive_time"
_ESTABLISHED: Final = "net.netfilter.nf_conntrack_tcp_timeout_established"


def transfer_signs(dumps: Sequence[DumpInput]) -> Iterator[ListingSign]:
    """Intervals of iperf3 in which segments were sent again, or nothing went through."""
    for each in dumps:
        load = each.dump.load
        if load is None or load.tool != "iperf3":
            continue
        intervals, stalled, again = map(load.figure, ("intervals", "intervals.stalled", "retransmitted"))
        found = [figure for figure in (again, stalled) if figure is not None and figure.value]
        if intervals is None or not found:
            continue
        of = plural(int(intervals.value), "interval")
        parts = [f"{again.value:,.0f} segments were retransmitted in {of}"] if again and again.value else []
        parts += [f"nothing went through in {stalled.value:,.0f} of {of}"] if stalled else []
        yield ListingSign(
            "transfer", "warning" if stalled else "info", "Retransmissions or pauses of a transfer",
            f"iperf3: {'; '.join(parts)}.", tuple((each.input, figure.line) for figure in found), len(found),
            "where packets were lost", "ss -tin dst SERVER; nstat -az TcpRetransSegs; ethtool -S INTERFACE   # twice",
        )  # fmt: skip


def idle_signs(dumps: Sequence[DumpInput]) -> Iterator[ListingSign]:
    """Connections that are forgotten on the way before TCP's keepalive sends its first probe."""
    keepalive = _setting(dumps, _KEEPALIVE)
    if keepalive is None:
        return
    limits = [
        ("IPVS", each.dump.ipvs_timeouts.tcp_s, (each.input, each.dump.ipvs_timeouts.line))
        for each in dumps
        if each.dump.ipvs_timeouts is not None
    ]
    tracked = _setting(dumps, _ESTABLISHED)
    limits += [] if tracked is None else [("connection tracking", *tracked)]
    for name, limit_s, line in limits:
        if 0 < limit_s < keepalive[0]:
            yield ListingSign(
                "idle-limit", "info", "Idle connections are forgotten before keepalive probes them",
                f"{name[0].upper()}{name[1:]} forgets a TCP connection after {limit_s:,} s without packets; TCP's "
                f"keepalive sends its first probe after {keepalive[0]:,} s: what is sent between is not translated, or "
                "reset.",
                (line, keepalive[1]), 1, "whether connections were idle for so long",
                "ss -tno   # timer:(keepalive,…); tcpdump -ni any 'tcp[tcpflags] & tcp-rst != 0'",
            )  # fmt: skip


def _setting(dumps: Sequence[DumpInput], key: str) -> tuple[int, Line] | None:
    found = [
        (int(setting.value), (each.input, setting.line))
        for each in dumps
        for setting in each.dump.settings
        if setting.key == key and setting.value.isascii() and setting.value.isdigit()
    ]
    return found[-1] if found else None


TRANSFER_SIGNS: Final[tuple[ReadSigns, ...]] = (transfer_signs, idle_signs)
