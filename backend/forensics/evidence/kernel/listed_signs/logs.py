"""Facts of log lines that carry no level of their own: HAProxy's requests, deleted entries, MAC addresses, traces."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from backend.forensics.dumps import DropEvent
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.evidence.kernel.kernel_signs import Line
from backend.forensics.evidence.kernel.listed_signs.log_meanings import ENVOY_FLAGS
from backend.forensics.evidence.kernel.listed_signs.sign import ListingSign, ReadSigns, shown
from backend.forensics.private_words import PrivateWord, of_object, of_place, of_rule
from backend.forensics.wording import plural

_REQUEST = re.compile(
    r"(?P<backend>\S{1,120})/(?P<server>\S{1,120}) (?P<timers>-?\d{1,9}(?:/-?\d{1,9}){3}/\+?\d{1,9}) "
    r"(?P<status>-?\d{1,3}) \+?\d{1,18} \S{1,80} \S{1,80} (?P<state>[A-Za-z-]{4}) "
)
"""HAProxy's HTTP log format (Configuration Manual 3.0, section 8.2.3); the timers are TR/Tw/Tc/Tr/Ta in ms."""
_CONNECT_TIMER: Final = 2
_ENDED_BY: Final = {
    "C": "the client closed the connection",
    "S": "the server closed or refused the connection",
    "P": "HAProxy itself ended it",
    "R": "HAProxy ran out of a resource",
    "D": "the server was marked down",
    "K": "an administrator ended it",
    "c": "the client timed out",
    "s": "the server timed out",
}
_ENDED_WHILE: Final = {
    "R": "waiting for the request",
    "Q": "in the queue",
    "C": "connecting to the server",
    "H": "waiting for the response headers",
    "D": "transferring data",
}
"""Configuration Manual 3.0, section 8.5: the first two characters of the session state at disconnection."""
_ACCESS = re.compile(
    r"\"(?:[A-Z]{3,7}|-) \S{1,800} (?:HTTP/[\d.]{1,3}|-)\" (?P<status>\d{1,3}) "
    r"(?P<flags>[A-Z]{2,5}(?:,[A-Z]{2,5}){0,4}) |"
    r"code=(?P<code>\d{1,3}) response_flags=(?P<stated>[A-Z]{2,5}(?:,[A-Z]{2,5}){0,4})"
)
"""Envoy's default access log and Istio's; of JSON the two fields."""
_DELETED = re.compile(
    r'"Clearing conntrack entries" parameters=\["-D","--orig-dst","(?P<service>[0-9a-fA-F.:]{2,45})",'
    r'"--dst-nat","(?P<endpoint>[0-9a-fA-F.:]{2,45})"'
)
_MAC_SET = re.compile(
    r"\((?P<interface>[^)\s]{1,40})\): hw-addr: .{0,60}?(?P<mac>(?:[0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2})"
)
_LINES_MOST: Final = 50
_FLOWS_MOST: Final = 5


def proxy_signs(dumps: Sequence[DumpInput]) -> Iterator[ListingSign]:
    """Requests that HAProxy could not finish, by server and session state."""
    groups: dict[tuple[str, str, str], list[tuple[int, Line]]] = {}
    for each in dumps:
        for message in each.dump.log_messages:
            found = _REQUEST.search(message.text[:1_000])
            if found is not None and found["state"][0] in _ENDED_BY:
                connect_ms = int(found["timers"].split("/")[_CONNECT_TIMER])
                key = found["backend"], found["server"], found["state"][:2]
                groups.setdefault(key, []).append((connect_ms, (each.input, message.line)))
    for (backend, server, state), rows in sorted(groups.items(), key=lambda group: -len(group[1]))[
        :_FLOWS_MOST
    ]:
        while_ = f" while {_ENDED_WHILE[state[1]]}" if state[1] in _ENDED_WHILE else ""
        target = PrivateWord(f"{backend}/{server}", "name")
        text = (
            f"{plural(len(rows), 'request')} to {target} ended with {state}: {_ENDED_BY[state[0]]}{while_}."
        )
        longest_ms = max(connect_ms for connect_ms, _ in rows)
        if longest_ms >= 0:
            text += f" Connecting took up to {longest_ms:,} ms."
        yield ListingSign(
            "proxy-log", "warning", "HAProxy could not finish requests", text,
            tuple(line for _, line in rows[:_LINES_MOST]), len(rows), "which packets were lost or refused",
            "tcpdump -ni any -w out.pcap host SERVER   # on the proxy, while it fails",
        )  # fmt: skip


def envoy_signs(dumps: Sequence[DumpInput]) -> Iterator[ListingSign]:
    """Requests that Envoy could not finish, by response flag."""
    groups: dict[tuple[str, str], list[Line]] = {}
    for each in dumps:
        for message in each.dump.log_messages:
            found = _ACCESS.search(message.text[:2_000])
            for flag in (found["flags"] or found["stated"]).split(",") if found else ():
                if flag in ENVOY_FLAGS:
                    status = found["status"] or found["code"] if found else ""
                    groups.setdefault((flag, status), []).append((each.input, message.line))
    for (flag, status), lines in sorted(groups.items(), key=lambda group: -len(group[1]))[:_FLOWS_MOST]:
        yield ListingSign(
            "envoy-log", "warning", "Envoy could not finish requests",
            f"{plural(len(lines), 'request')} ended with {status} and response flag {flag}: {ENVOY_FLAGS[flag]}.",
            tuple(lines[:_LINES_MOST]), len(lines), "which packets were lost, refused or reset",
            "tcpdump -ni any -w out.pcap host UPSTREAM   # in the proxy's network namespace, while it fails",
        )  # fmt: skip


def deleted_entry_signs(dumps: Sequence[DumpInput]) -> Iterator[ListingSign]:
    """Entries to removed endpoints that kube-proxy deletes (pkg/proxy/conntrack: UDP alone)."""
    found = [
        (deleted["service"], deleted["endpoint"], (each.input, message.line))
        for each in dumps
        for message in each.dump.log_messages
        if (deleted := _DELETED.search(message.text)) is not None
    ]
    if found:
        ends = [f"{service} to {endpoint}" for service, endpoint, _ in found]
        yield ListingSign(
            "deleted-entries", "info", "Connection-tracking entries deleted",
            f"kube-proxy deleted the connection-tracking entries of UDP packets for {shown(ends)}.",
            tuple(line for *_, line in found[:_LINES_MOST]), len(found),
            "how long packets went to the removed endpoint before", "conntrack -E -p udp -o timestamp",
        )  # fmt: skip


def link_address_signs(dumps: Sequence[DumpInput]) -> Iterator[ListingSign]:
    """MAC addresses that NetworkManager saw set: entries of other hosts may hold the previous one."""
    for each in dumps:
        rows = [
            (m.line, set_) for m in each.dump.log_messages if (set_ := _MAC_SET.search(m.text)) is not None
        ]
        for interface in dict.fromkeys(set_["interface"] for _, set_ in rows):
            own = [(line, set_["mac"].lower()) for line, set_ in rows if set_["interface"] == interface]
            text = (
                f"The MAC address of {of_place(interface)} was set to {shown([mac for _, mac in own])}: neighbor and "
                "forwarding entries on other hosts that hold another one send to nobody."
            )
            yield ListingSign(
                "link-address", "info", "MAC address of an interface set", text,
                tuple((each.input, line) for line, _ in own[:_LINES_MOST]), len(own),
                "what the other hosts hold", "ip neigh; bridge fdb show   # on the other hosts",
            )  # fmt: skip


def trace_signs(dumps: Sequence[DumpInput]) -> Iterator[ListingSign]:
    """Where the rules that iptables' TRACE target logged end, by flow."""
    last: dict[tuple[str, int | None, str, int | None, str], tuple[DropEvent, Line]] = {}
    for each in dumps:
        for event in each.dump.drops:
            if event.tool == "netfilter-log" and not event.reason and event.place.count(":") >= _TRACE_COLONS:
                key = (
                    event.source,
                    event.source_port,
                    event.destination,
                    event.destination_port,
                    event.protocol,
                )
                last[key] = event, (each.input, event.line)
    for event, line in list(last.values())[:_FLOWS_MOST]:
        text = (
            f"The last traced rule of {of_object(event.source)} → {of_object(event.destination)} ({event.protocol}) "
            f"is {of_rule(event.place)}, in from {of_place(event.interface or 'nowhere')}."
        )
        yield ListingSign(
            "trace", "info", "Last traced rule of a packet", text, (line,), 1,
            "what came after it, where the log was cut", "iptables-save -c; nft monitor trace",
        )  # fmt: skip


def resolver_signs(dumps: Sequence[DumpInput]) -> Iterator[ListingSign]:
    """Search domains that are tried before a name as it is (resolv.conf(5): ndots)."""
    for each in dumps:
        values = {setting.key: setting for setting in each.dump.settings if setting.key.startswith("resolv.")}
        options, search = values.get("resolv.options"), values.get("resolv.search")
        dots = re.search(r"\bndots:(\d{1,2})", options.value) if options is not None else None
        domains = search.value.split() if search is not None else []
        if options is not None and dots is not None and int(dots[1]) > 1 and domains:
            yield ListingSign(
                "resolver", "info", f"ndots:{dots[1]} with search domains",
                f"A name with fewer than {dots[1]} dots is first asked for in {plural(len(domains), 'search domain')}, "
                "each for A and AAAA: one of these queries that is lost delays the lookup by the resolver's time-out.",
                ((each.input, options.line),), len(domains), "whether a query was lost",
                "tcpdump -ni any -w out.pcap port 53   # while it is slow; a name with a dot at its end for comparison",
            )  # fmt: skip


_TRACE_COLONS: Final = 2
"""A traced place is table:chain:rule or table:chain:policy with its number."""

LOG_SIGNS: Final[tuple[ReadSigns, ...]] = (
    proxy_signs, envoy_signs, deleted_entry_signs, link_address_signs, trace_signs, resolver_signs,
)  # fmt: skip
