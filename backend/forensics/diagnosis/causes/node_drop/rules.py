"""Which dumped rules can have dropped a SYN: those whose conditions do not exclude it."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Sequence

from backend.forensics.dumps import FilterRule
from backend.forensics.evidence.absence.losses import Loss
from backend.forensics.evidence.attempts.attempts import Endpoint
from backend.forensics.evidence.dns.delayed import Dns
from backend.forensics.evidence.dns.lost_queries import LostQuery
from backend.forensics.evidence.kernel.counters import KernelFacts

DROPPING = ("DROP", "REJECT")
TCP_NAMES = ("tcp", "6", "all")
UDP_NAMES = ("udp", "17", "all")
_NOT_FORWARDED = ("INPUT", "OUTPUT")
_ADDRESS = {
    "source": re.compile(
        r"(?P<no>! )?(?:-s|--source|ip6? saddr) (?P<no2>!= )?(?P<net>[0-9a-fA-F.:]+(?:/\d+)?)"
    ),
    "destination": re.compile(
        r"(?P<no>! )?(?:-d|--destination|ip6? daddr) (?P<no2>!= )?(?P<net>[0-9a-fA-F.:]+(?:/\d+)?)"
    ),
}
_PORT = {
    "source": re.compile(r"(?:--sport|sport) (?P<no>!= )?(?P<port>\d+)(?![\d:-])"),
    "destination": re.compile(r"(?:--dport|dport) (?P<no>!= )?(?P<port>\d+)(?![\d:-])"),
}
_PROTOCOL = re.compile(r"(?:-p|ip protocol|meta l4proto) (?P<no>!= )?(?P<name>[a-z0-9]+)")
_NOT_NEW = re.compile(r"ct(?:state| state) (?:INVALID|RELATED|ESTABLISHED|invalid|established|related)[,\w]*")


def dropping_rules(kernel: KernelFacts, losses: Sequence[Loss]) -> tuple[tuple[str, FilterRule], ...]:
    """(input, rule) of rules that drop and whose conditions all losses could meet."""
    ends = {_ends(loss) for loss in losses}
    return tuple(
        (each.input, rule)
        for each in kernel.dumps
        for rule in each.dump.filter_rules
        if rule.verdict.upper() in DROPPING
        and rule.chain not in _NOT_FORWARDED
        and not _is_policy(rule)
        and could_drop(rule.text, ends)
    )


def _is_policy(rule: FilterRule) -> bool:
    """A chain's policy ends what no rule accepted: it would end every SYN of that way."""
    return rule.text.startswith(":") or " policy " in rule.text


def _ends(loss: Loss) -> tuple[Endpoint, Endpoint]:
    first = loss.transmission.first
    return first.source, first.destination


def dropping_query_rules(
    kernel: KernelFacts, dns: Dns, lost: Sequence[LostQuery]
) -> tuple[tuple[str, FilterRule], ...]:
    """The same for lost queries, with the addresses that they were sent with or those behind the translation."""
    ways = _query_ways(dns, lost)
    return tuple(
        (each.input, rule)
        for each in kernel.dumps
        for rule in each.dump.filter_rules
        if rule.verdict.upper() in DROPPING
        and rule.chain not in _NOT_FORWARDED
        and not _is_policy(rule)
        and any(could_drop(rule.text, ends, UDP_NAMES) for ends in ways)
    )


def _query_ways(dns: Dns, lost: Sequence[LostQuery]) -> list[set[tuple[Endpoint, Endpoint]]]:
    """Source and destination of the lost queries as sent, and of what was translated at the furthest vantage point."""
    exchanges, s = dns.exchanges, dns.messages.sockets

    def ends(node: int) -> tuple[Endpoint, Endpoint]:
        client = Endpoint(int(s.client_high[node]), int(s.client_low[node]), int(s.client_port[node]))
        return client, Endpoint(int(s.server_high[node]), int(s.server_low[node]), int(s.server_port[node]))

    as_sent = {ends(int(exchanges.rows["node"][q.question])) for q in lost}
    behind = {
        (ends(int(exchanges.rows["node"][q.question]))[0], ends(int(seen["node"]))[1])
        for q in lost
        for seen in exchanges.sightings_of(q.question)
    }
    return [as_sent, behind]


def could_drop(
    text: str, ends: Iterable[tuple[Endpoint, Endpoint]], names: Sequence[str] = TCP_NAMES
) -> bool:
    """Whether no condition of the rule that this reads excludes these packets. What is not read excludes nothing."""
    protocol = _PROTOCOL.search(text)
    if protocol and (protocol["name"] in names) is bool(protocol["no"]):
        return False
    state = _NOT_NEW.search(text)
    if state and "NEW" not in state[0].upper().replace("RENEW", ""):
        return False
    return all(
        _meets(text, "source", source) and _meets(text, "destination", destination)
        for source, destination in ends
    )


def _meets(text: str, side: str, end: Endpoint) -> bool:
    address = _ADDRESS[side].search(text)
    if address is not None:
        inside = _inside(address["net"], end)
        if inside is not None and inside is bool(address["no"] or address["no2"]):
            return False
    port = _PORT[side].search(text)
    return port is None or (int(port["port"]) == end.port) is not bool(port["no"])


def _inside(net: str, end: Endpoint) -> bool | None:
    """None when the text is no network."""
    try:
        network = ipaddress.ip_network(net, strict=False)
        address = ipaddress.ip_address(end.address)
    except ValueError:
        return None
    return address.version == network.version and address in network
