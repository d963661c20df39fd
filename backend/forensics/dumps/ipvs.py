"""What IPVS lists: virtual services with their real servers, connections, timeouts (ipvsadm, /proc/net/ip_vs*)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np

from backend.forensics.addresses import address_halves, address_text
from backend.forensics.dumps.table import RecordTable


@dataclass(frozen=True)
class IpvsTraffic:
    """Columns of ``--stats`` (totals) or ``--rate`` (per second)."""

    connections: int
    packets_in: int
    packets_out: int
    bytes_in: int
    bytes_out: int
    per_second: bool
    rounded: bool = False
    """At least one value was printed with K, M, G or T (``--exact`` avoids it): differences are not exact."""


@dataclass(frozen=True)
class RealServer:
    """A destination. What the listing does not show is None, `forward` "" (--stats, --rate, --thresholds)."""

    line: int
    address: str
    port: int
    forward: str = ""
    """``Masq``, ``Route``, ``Tunnel`` or ``Local``."""
    weight: int | None = None
    active: int | None = None
    """IPVS counts SYN_RECV and ESTABLISHED as active."""
    inactive: int | None = None
    persistent: int | None = None
    upper_threshold: int | None = None
    lower_threshold: int | None = None
    traffic: IpvsTraffic | None = None


@dataclass(frozen=True)
class VirtualService:
    """A service; `address` is "" and `port` 0 for one chosen by a firewall mark."""

    line: int
    protocol: str
    """``TCP``, ``UDP``, ``SCTP`` or ``FWM``."""
    address: str
    port: int
    scheduler: str = ""
    """``rr``, …; "" where the listing does not show it."""
    flags: tuple[str, ...] = ()
    """``ops``, ``sh-port``, ``persistent``, …"""
    firewall_mark: int | None = None
    persistent_s: int | None = None
    traffic: IpvsTraffic | None = None
    real_servers: tuple[RealServer, ...] = ()


@dataclass(frozen=True)
class IpvsTimeouts:
    """``ipvsadm -L --timeout``, seconds."""

    line: int
    tcp_s: int
    tcp_fin_s: int
    udp_s: int


IPVS_STATES: Final = (
    "NONE", "ESTABLISHED", "SYN_SENT", "SYN_RECV", "FIN_WAIT", "TIME_WAIT", "CLOSE", "CLOSE_WAIT", "LAST_ACK",
    "LISTEN", "SYNACK", "UDP", "ICMP", "ASSURED", "INIT1", "INIT", "COOKIE_SENT", "COOKIE_REPLIED", "COOKIE_WAIT",
    "COOKIE", "COOKIE_ECHOED", "SHUTDOWN_SENT", "SHUTDOWN_RECEIVED", "SHUTDOWN_ACK_SENT", "REJECTED", "CLOSED",
    "BUG!", "OTHER",
)  # fmt: skip
"""States as IPVS prints them (ip_vs_proto_*.c); `state` is an index into this. ``ASSURED`` is a persistence
template's."""

_ENDS: Final = ("client", "virtual", "destination")
IPVS_PROTOCOLS: Final = {
    "IP": 0,
    "ICMP": 1,
    "TCP": 6,
    "UDP": 17,
    "ESP": 50,
    "AH": 51,
    "ICMPv6": 58,
    "SCTP": 132,
}

IPVS_CONNECTION_DTYPE: Final = np.dtype(
    [
        ("line", "<u4"),  # 1-based, in the whole text
        ("protocol", "u1"),  # IP protocol number
        ("state", "u1"),  # index into IPVS_STATES
        ("client_port", "<u2"),  # 0 in a persistence template
        ("virtual_port", "<u2"),
        ("destination_port", "<u2"),
        ("expires_s", "<i4"),
        # Addresses as in the packet table: two halves, IPv4 v4-mapped.
        ("client_high", "<u8"),
        ("client_low", "<u8"),
        ("virtual_high", "<u8"),
        ("virtual_low", "<u8"),
        ("destination_high", "<u8"),
        ("destination_low", "<u8"),
    ]
)
"""One line of ``ipvsadm -Lnc`` or ``/proc/net/ip_vs_conn``."""


@dataclass(frozen=True)
class IpvsConnection:
    """A row of the table in words; for many use the columns."""

    line: int
    protocol: str
    expires_s: int
    state: str
    client: str
    client_port: int
    virtual: str
    virtual_port: int
    destination: str
    destination_port: int


class IpvsConnectionTable(RecordTable[IpvsConnection]):
    """Connections of one dump: `rows` is an array of IPVS_CONNECTION_DTYPE, iterating gives IpvsConnection."""

    dtype = IPVS_CONNECTION_DTYPE

    @classmethod
    def of(cls, connections: Iterable[IpvsConnection]) -> IpvsConnectionTable:
        """A table made of connections in words; raises ValueError when an address is none."""
        given = list(connections)
        rows = np.zeros(len(given), IPVS_CONNECTION_DTYPE)
        for row, each in zip(rows, given, strict=True):
            row["line"], row["expires_s"] = each.line, each.expires_s
            row["protocol"] = IPVS_PROTOCOLS[each.protocol]
            row["state"] = IPVS_STATES.index(each.state if each.state in IPVS_STATES else "OTHER")
            for end in _ENDS:
                row[f"{end}_high"], row[f"{end}_low"] = address_halves(getattr(each, end))
                row[f"{end}_port"] = getattr(each, f"{end}_port")
        return cls(rows)

    def _record(self, row: np.void) -> IpvsConnection:
        number = int(row["protocol"])
        ends = {end: address_text(int(row[f"{end}_high"]), int(row[f"{end}_low"])) for end in _ENDS}
        return IpvsConnection(
            line=int(row["line"]),
            protocol=next((name for name, known in IPVS_PROTOCOLS.items() if known == number), str(number)),
            expires_s=int(row["expires_s"]),
            state=IPVS_STATES[row["state"]],
            client=ends["client"],
            client_port=int(row["client_port"]),
            virtual=ends["virtual"],
            virtual_port=int(row["virtual_port"]),
            destination=ends["destination"],
            destination_port=int(row["destination_port"]),
        )
