"""Facts of what the kernel counts: entries that got no reply, real servers of IPVS, drops of interfaces and queues."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from backend.forensics.addresses import address_text
from backend.forensics.dumps import VirtualService
from backend.forensics.dumps import conntrack as states
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.evidence.kernel.listed_signs.sign import ListingSign, ReadSigns, shown
from backend.forensics.private_words import of_place
from backend.forensics.wording import plural

_UDP: Final = 17
_DNS_PORT: Final = 53
_UDP_TIMEOUT_S: Final = 30
"""nf_conntrack_udp_timeout of an entry without a reply (net/netfilter/nf_conntrack_proto_udp.c, UDP_CT_UNREPLIED)."""
_WAITED_S: Final = 3
"""Since the last packet; a resolver that works answers in less."""
_LINKS_MOST: Final = 5
_RENEWED_S: Final = 10
"""An entry whose last packet is not older is in use."""


def _listings(dumps: Sequence[DumpInput]) -> Iterator[tuple[DumpInput, NDArray[np.void]]]:
    """(listing, its entries) of each listing of the connection-tracking table that has any."""
    for each in dumps:
        rows = each.dump.entries.rows
        if len(rows) and each.dump.kind == "conntrack-list":
            yield each, rows


def entry_signs(dumps: Sequence[DumpInput]) -> Iterator[ListingSign]:
    """Connection-tracking entries without a reply, and half-closed ones that count down."""
    for each, rows in _listings(dumps):
        silent = rows[((rows["flags"] & states.UNREPLIED) != 0) & (rows["protocol"] == 6)]
        if len(silent):
            lines = tuple((each.input, int(line)) for line in np.sort(silent["line"])[:50])
            text = f"{len(silent):,} of {len(rows):,} entries are TCP connections that nobody answered (UNREPLIED)."
            yield ListingSign(
                "unreplied", "warning", "Connections without a reply", text, lines, len(silent),
                "where their SYNs were lost", "tcpdump -ni any -w out.pcap 'tcp[tcpflags] & (tcp-syn|tcp-rst) != 0'",
            )  # fmt: skip


def query_signs(dumps: Sequence[DumpInput]) -> Iterator[ListingSign]:
    """DNS queries that nobody answered for seconds: each packet sets an entry's time-out anew."""
    for each, rows in _listings(dumps):
        silent = rows[
            ((rows["flags"] & states.UNREPLIED) != 0)
            & (rows["protocol"] == _UDP)
            & (rows["original_destination_port"] == _DNS_PORT)
            & (rows["timeout_s"] >= 0)
            & (rows["timeout_s"] <= _UDP_TIMEOUT_S - _WAITED_S)
        ]
        if len(silent):
            waited = _UDP_TIMEOUT_S - int(silent["timeout_s"].min())
            text = (
                f"{plural(len(silent), 'DNS query', 'DNS queries')} without a reply (UNREPLIED), the oldest for "
                f"{waited} s where nf_conntrack_udp_timeout is {_UDP_TIMEOUT_S} s."
            )
            yield ListingSign(
                "unreplied-query", "warning", "DNS queries without a reply", text,
                tuple((each.input, int(line)) for line in np.sort(silent["line"])[:50]), len(silent),
                "whether they reached the resolver", "tcpdump -ni any -w out.pcap port 53",
            )  # fmt: skip


def datagram_signs(dumps: Sequence[DumpInput]) -> Iterator[ListingSign]:
    """Translated UDP entries that packets keep alive and no reply came for: an endpoint that is gone looks so."""
    for each, rows in _listings(dumps):
        silent = rows[
            ((rows["flags"] & states.UNREPLIED) != 0)
            & (rows["protocol"] == _UDP)
            & (rows["original_destination_port"] != _DNS_PORT)
            & (rows["timeout_s"] >= _UDP_TIMEOUT_S - _RENEWED_S)
            & _is_translated(rows)
        ]
        if len(silent):
            text = (
                f"{plural(len(silent), 'UDP entry is', 'UDP entries are')} UNREPLIED and kept alive by packets: "
                f"{shown([_translation(row) for row in silent[:50]])}. As long as packets come, rules that changed are "
                "not asked again."
            )
            yield ListingSign(
                "unreplied-datagrams", "info", "UDP packets without a reply", text,
                tuple((each.input, int(line)) for line in np.sort(silent["line"])[:50]), len(silent),
                "whether that endpoint still exists (then delete the entry), or a protocol without replies",
                "kubectl get endpointslices -A; conntrack -D -p udp --orig-dst ADDRESS",
            )  # fmt: skip


def untranslated_signs(dumps: Sequence[DumpInput]) -> Iterator[ListingSign]:
    """Listings that consist of UDP entries as they were made before a service's rules: untranslated, in use, silent.

    A query on its way looks so for milliseconds, so few of many entries say nothing."""
    for each, rows in _listings(dumps):
        silent = rows[
            ((rows["flags"] & states.UNREPLIED) != 0)
            & (rows["protocol"] == _UDP)
            & (rows["timeout_s"] >= _UDP_TIMEOUT_S - _RENEWED_S)
            & (rows["timeout_s"] <= _UDP_TIMEOUT_S)
            & ~_is_translated(rows)
        ]
        if len(silent) and 2 * len(silent) >= len(rows):
            to = list(dict.fromkeys(_translation(row).split(" to ")[0] for row in silent[:50]))
            text = (
                f"{plural(len(silent), 'UDP entry is', 'UDP entries are')} UNREPLIED, kept alive by packets and not "
                f"translated: {shown(to)}. If that is the address of a service, the entry is older than the rules, and "
                "packets of its source port pass them by."
            )
            yield ListingSign(
                "untranslated-datagrams", "info", "UDP packets that no rule translates", text,
                tuple((each.input, int(line)) for line in np.sort(silent["line"])[:50]), len(silent),
                "whether that address is a service's",
                "kubectl get svc -A -o wide; conntrack -D -p udp --orig-dst ADDRESS",
            )  # fmt: skip


def _is_translated(rows: NDArray[np.void]) -> NDArray[np.bool_]:
    same_address: NDArray[np.bool_] = rows["original_destination_low"] == rows["reply_source_low"]
    same_port: NDArray[np.bool_] = rows["original_destination_port"] == rows["reply_source_port"]
    return ~(same_address & same_port)


def _translation(row: np.void) -> str:
    ends = [
        f"{address_text(int(row[f'{end}_high']), int(row[f'{end}_low']))}:{int(row[f'{end}_port'])}"
        for end in ("original_destination", "reply_source")
    ]
    return f"{ends[0]} to {ends[1]}"


def real_server_signs(dumps: Sequence[DumpInput]) -> Iterator[ListingSign]:
    """Services of IPVS with real servers that take no new connection and still have some."""
    for each in dumps:
        for service in each.dump.services:
            leaving = [
                server
                for server in service.real_servers
                if server.weight == 0 and (server.active or server.inactive)
            ]
            if leaving:
                yield ListingSign(
                    "weight-0", "info", "Real servers of weight 0 with connections", _leaving(service),
                    tuple((each.input, server.line) for server in leaving[:50]), len(leaving),
                    "whether a client uses one of their source ports again: that connection goes to them "
                    "(net.ipv4.vs.conn_reuse_mode)",
                    "ipvsadm -Lnc; sysctl net.ipv4.vs.conn_reuse_mode net.ipv4.vs.expire_nodest_conn",
                )  # fmt: skip


def _leaving(service: VirtualService) -> str:
    servers = [s for s in service.real_servers if s.weight == 0 and (s.active or s.inactive)]
    active, inactive = (sum(getattr(s, name) or 0 for s in servers) for name in ("active", "inactive"))
    return (
        f"{len(servers):,} of {plural(len(service.real_servers), 'real server')} of {service.address}:{service.port} "
        f"have weight 0 (they get no new connection), with {active:,} active and {inactive:,} inactive connections: "
        f"{shown([f'{s.address}:{s.port}' for s in servers])}."
    )


def link_signs(dumps: Sequence[DumpInput]) -> Iterator[ListingSign]:
    """Interfaces and queueing disciplines that counted errors or drops, those of most first."""
    found = [
        (link, (each.input, link.line)) for each in dumps for link in each.dump.link_counters if link.lost
    ]
    found.sort(key=lambda entry: -max(entry[0].lost.values()))
    for link, line in found[:_LINKS_MOST]:
        counts = ", ".join(f"{name} {value:,}" for name, value in link.lost.items())
        of = f"{of_place(link.interface)}" if link.interface else ""
        name = " of ".join([part for part in (link.queue, of) if part])
        sent = f"; {plural(link.sent, 'packet')} sent" if link.sent or link.queue else ""
        nothing_else = bool(link.queue) and not link.sent
        yield ListingSign(
            "link-counters", "warning" if nothing_else else "info",
            "A queueing discipline drops packets" if link.queue else "An interface counts errors or drops",
            f"Since it was set up {name or 'it'} counted: {counts}{sent}.", (line,), max(link.lost.values()),
            "when they were counted",
            f"tc -s qdisc show dev {link.interface or 'INTERFACE'}; ip -s -s link show {link.interface or 'INTERFACE'}"
            "   # twice, while it fails",
        )  # fmt: skip


ENTRY_SIGNS: Final[tuple[ReadSigns, ...]] = (
    entry_signs, query_signs, datagram_signs, untranslated_signs, real_server_signs, link_signs,
)  # fmt: skip
