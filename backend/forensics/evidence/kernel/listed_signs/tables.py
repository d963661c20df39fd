"""Facts of tables: rules, neighbors, routes, bridges, cards, modules, settings, queues, entries."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from backend.forensics.dumps import FilterRule, NatRule
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.evidence.kernel.endpointless import list_endpointless
from backend.forensics.evidence.kernel.kernel_signs import Line
from backend.forensics.evidence.kernel.listed_signs.sign import ListingSign, ReadSigns, shown
from backend.forensics.private_words import PrivateWord, of_place, of_rule
from backend.forensics.wording import plural

_RULES_MOST: Final = 5
_DROPS: Final = frozenset(("DROP", "REJECT", "KUBE-MARK-DROP"))
_UNANSWERED: Final = frozenset(("FAILED", "INCOMPLETE"))
_NO_WAY: Final = frozenset(("blackhole", "unreachable", "prohibit"))
_SETTINGS: Final = {
    (
        "rp_filter",
        "1",
    ): "strict reverse-path filter: packets whose answer would leave by another interface are dropped",
    (
        "bridge-nf-call-iptables",
        "0",
    ): "bridged packets pass no iptables rule: answers of pods on the same node stay untranslated",
    ("ip_forward", "0"): "packets for other hosts are not passed on",
    (
        "tcp_tw_recycle",
        "1",
    ): "connections from behind NAT are refused by their time stamps (removed in Linux 4.12)",
    ("nf_conntrack_tcp_be_liberal", "0"): "packets outside the window count as INVALID",
}
"""Last part of the key and value -> what follows; only those are reported that explain losses."""


def rule_signs(dumps: Sequence[DumpInput], packets_least: int) -> Iterator[ListingSign]:
    """Rules that drop or reject and have counted packets, the most packets first."""
    rules: list[tuple[FilterRule, Line]] = [
        (rule, (each.input, rule.line))
        for each in dumps
        for rule in each.dump.filter_rules
        if rule.verdict.upper() in _DROPS
        and rule.packets is not None
        and rule.packets >= packets_least
        and not rule.text.startswith(":")
    ]
    rules.sort(key=lambda entry: -(entry[0].packets or 0))
    for rule, line in rules[:_RULES_MOST]:
        rejects = rule.verdict.upper() == "REJECT"
        yield ListingSign(
            "rule",
            "warning",
            "A rule rejects packets" if rejects else "A rule drops packets",
            f"{of_rule(rule.text)}: {rule.packets or 0:,} packets since the counters were set to 0.",
            (line,),
            rule.packets or 0,
            "when it counted them, and whether they are those that you miss",
            "iptables-save -c; sleep 10; iptables-save -c   # which counters rise while it fails",
        )


def policy_signs(dumps: Sequence[DumpInput]) -> Iterator[ListingSign]:
    """Chains that drop what no rule decides on."""
    for each in dumps:
        for rule in each.dump.filter_rules:
            if rule.text.startswith((":", "-P ")) and rule.verdict in _DROPS and rule.packets:
                yield ListingSign(
                    "policy",
                    "warning",
                    "A chain's policy drops packets",
                    f"The policy of {of_rule(rule.chain)} dropped {rule.packets:,} packets.",
                    ((each.input, rule.line),),
                    rule.packets,
                    "which packets",
                    "iptables -I CHAIN -j LOG   # as its last rule; then dmesg -w",
                )


_EVERYTHING: Final = re.compile(r"-A \S+ -j (?:REJECT(?: --reject-with \S+)?|DROP)\s*$")
_BUILT_IN: Final = frozenset(("INPUT", "FORWARD", "OUTPUT"))


def uncounted_signs(dumps: Sequence[DumpInput]) -> Iterator[ListingSign]:
    """Built-in chains that end by dropping or rejecting, in listings without counters."""
    for each in dumps:
        found = [
            rule
            for rule in each.dump.filter_rules
            if rule.packets is None
            and rule.chain in _BUILT_IN
            and rule.verdict.upper() in _DROPS
            and (rule.text.startswith((":", "-P ", "Chain ")) or _EVERYTHING.search(rule.text))
        ]
        if found:
            names = shown([f"{rule.chain} ({rule.verdict.upper()})" for rule in found])
            yield ListingSign(
                "uncounted", "info", "Chains that end by dropping or rejecting",
                f"What no rule before accepts is dropped or rejected at the end of {names}; this dump has no "
                "counters.", tuple((each.input, rule.line) for rule in found[:50]), len(found),
                "whether they hit the failing packets",
                "iptables -L -v -n -x   # twice, while it fails; iptables-save -c",
            )  # fmt: skip


def _on(interface: str) -> str:
    return f" on {of_place(interface)}" if interface else ""


def neighbor_signs(dumps: Sequence[DumpInput]) -> Iterator[ListingSign]:
    """Addresses that nobody answers for."""
    silent = [
        (n, (each.input, n.line)) for each in dumps for n in each.dump.neighbors if n.state in _UNANSWERED
    ]
    if silent:
        names = shown([f"{n.address}{_on(n.interface)} ({n.state})" for n, _ in silent])
        yield ListingSign(
            "neighbor",
            "warning",
            "Neighbors that do not answer",
            f"Nobody answers ARP or neighbor discovery for {names}.",
            tuple(line for _, line in silent),
            len(silent),
            "whether the host is down, elsewhere, or its answers are lost",
            "arping -c 3 -I INTERFACE ADDRESS; tcpdump -ni INTERFACE arp",
        )


def route_signs(dumps: Sequence[DumpInput]) -> Iterator[ListingSign]:
    """Routes that refuse, and what the kernel answered to `ip route get`."""
    for each in dumps:
        for route in each.dump.routes:
            line = ((each.input, route.line),)
            if route.refused:
                text = f"The kernel has no route for what was asked: {route.refused}."
                if "cross-device" in route.refused:
                    text = (
                        "The kernel refuses this source on this interface (Invalid cross-device link): its "
                        "reverse-path filter drops it."
                    )
            elif route.kind in _NO_WAY:
                text = (
                    f"The route to {route.target} is {route.kind}: packets to it are refused or dropped here."
                )
            else:
                continue
            yield ListingSign(
                "route", "warning", "A route refuses packets", text, line, 1,
                "whether the failing packets take it", "ip route get ADDRESS; ip rule; ip route show table all",
            )  # fmt: skip


def policy_rule_signs(dumps: Sequence[DumpInput]) -> Iterator[ListingSign]:
    """Policy rules that refuse."""
    for each in dumps:
        for rule in each.dump.policy_rules:
            if rule.action in _NO_WAY:
                text = f"Packets {rule.selector} are refused by policy rule {rule.priority}: {rule.action}."
                yield ListingSign(
                    "policy-rule", "warning", "A policy rule refuses packets", text, ((each.input, rule.line),), 1,
                    "whether the failing packets match it", "ip route get ADDRESS from SOURCE",
                )  # fmt: skip


def bridge_signs(dumps: Sequence[DumpInput]) -> Iterator[ListingSign]:
    """Ports that send nothing back where it came from, and ports that do not forward."""
    ports = [(port, (each.input, port.line)) for each in dumps for port in each.dump.bridge_ports]
    off = [(port, line) for port, line in ports if port.hairpin is False]
    if off:
        text = (
            f"Hairpin mode is off on {len(off):,} of {plural(len(ports), 'port')}: a pod that reaches itself "
            "through its own service gets no answer unless its address is translated."
        )
        yield ListingSign(
            "hairpin", "info", "Hairpin mode off", text, tuple(line for _, line in off), len(off),
            "whether a pod calls itself", "tcpdump -ni any host POD   # a SYN whose source becomes its destination",
        )  # fmt: skip
    closed = [(port, line) for port, line in ports if port.state in ("blocking", "disabled", "listening")]
    if closed:
        names = shown([f"{of_place(port.interface)} ({port.state})" for port, _ in closed])
        yield ListingSign(
            "bridge-port", "warning", "Bridge ports that do not forward", f"No frame passes {names}.",
            tuple(line for _, line in closed), len(closed), "for how long", "bridge -d link; ip -d link show BRIDGE",
        )  # fmt: skip


def card_signs(dumps: Sequence[DumpInput]) -> Iterator[ListingSign]:
    """Fewer queues or smaller rings than the card has."""
    for each in dumps:
        found = {(s.interface, s.name): s for s in each.dump.card_settings}
        for (interface, name), most in found.items():
            now = found.get((interface, name.replace("maximum ", "current ", 1)))
            if (
                not name.startswith("maximum ")
                or now is None
                or not (most.value.isdigit() and now.value.isdigit())
            ):
                continue
            if int(now.value) < int(most.value):
                what = name.removeprefix("maximum ")
                text = f"{of_place(interface or 'The card')} uses {now.value} of {most.value} ({what})."
                yield ListingSign(
                    "card", "info", "Card not fully used", text, ((each.input, most.line), (each.input, now.line)), 1,
                    "whether one CPU is the limit", "cat /proc/interrupts /proc/net/softnet_stat; mpstat -P ALL 1 5",
                )  # fmt: skip


def module_signs(dumps: Sequence[DumpInput]) -> Iterator[ListingSign]:
    """A bridge without the module that shows its packets to iptables."""
    for each in dumps:
        names = {module.name: module for module in each.dump.modules}
        if "bridge" in names and "br_netfilter" not in names:
            text = "bridge is loaded and br_netfilter is not: bridged packets pass no iptables rule."
            yield ListingSign(
                "module", "warning", "br_netfilter is not loaded", text, ((each.input, names["bridge"].line),), 1,
                "whether pods of one node talk through a service", "sysctl net.bridge.bridge-nf-call-iptables",
            )  # fmt: skip


def setting_signs(dumps: Sequence[DumpInput]) -> Iterator[ListingSign]:
    """Settings that explain losses where they fit."""
    for (name, value), follows in _SETTINGS.items():
        found = [
            (setting.key, (each.input, setting.line))
            for each in dumps
            for setting in each.dump.settings
            if setting.key.rpartition(".")[2] == name and setting.value == value
        ]
        if found:
            yield ListingSign(
                "setting", "info", f"{name} = {value}", f"{shown([key for key, _ in found])} = {value}: {follows}.",
                tuple(line for _, line in found), len(found), "whether packets were lost by it",
                "nstat -az TcpExtIPReversePathFilter; dmesg | grep -i martian" if name == "rp_filter" else "nstat -az",
            )  # fmt: skip


def queue_signs(dumps: Sequence[DumpInput]) -> Iterator[ListingSign]:
    """Accept queues above their backlog (`ss -lnt`: Recv-Q above Send-Q)."""
    full = [
        (s, (each.input, s.line))
        for each in dumps
        for s in each.dump.listen_sockets
        if s.receive_queue > s.send_queue > 0
    ]
    if full:
        names = shown(
            [f"{s.address}:{s.port} ({s.receive_queue} wait, backlog {s.send_queue})" for s, _ in full]
        )
        yield ListingSign(
            "accept-queue", "warning", "Accept queue full", f"More connections wait than the backlog allows: {names}.",
            tuple(line for _, line in full), len(full), "how many SYNs were dropped",
            "nstat -az TcpExtListenOverflows TcpExtListenDrops",
        )  # fmt: skip


def duplicate_signs(dumps: Sequence[DumpInput]) -> Iterator[ListingSign]:
    """IPv6 addresses that the kernel does not use, because another host answered for them."""
    found = [
        (address, (each.input, address.line))
        for each in dumps
        for address in each.dump.addresses
        if address.is_duplicate
    ]
    if found:
        names = shown([f"{address.address}{_on(address.interface)}" for address, _ in found])
        yield ListingSign(
            "duplicate-address", "warning", "IPv6 duplicate address detection failed",
            f"The kernel does not use {names}: another interface answered for it (dadfailed).",
            tuple(line for _, line in found), len(found),
            "whether another host has it, or a bridge in hairpin mode sent the probe back",
            "tcpdump -ni INTERFACE 'icmp6 and ip6[40] == 135'; bridge -d link",
        )  # fmt: skip


def endpointless_signs(dumps: Sequence[DumpInput]) -> Iterator[ListingSign]:
    """Rules of services without endpoints that counted no packet yet; those that did are causes."""
    for rule in list_endpointless(dumps):
        if rule.counted and not rule.packets:
            local = "endpoint on this node" if rule.local else "endpoint"
            service = PrivateWord(rule.service, "name") if rule.service else "A service"
            yield ListingSign(
                "endpointless", "info", "Service without endpoint",
                f"{service} has no {local}; its {'REJECT' if rule.rejects else 'DROP'} rule counted no packet.",
                rule.lines, 1, "whether anybody calls it", "kubectl get endpointslices -A; iptables-save -c",
            )  # fmt: skip


def masquerade_signs(dumps: Sequence[DumpInput]) -> Iterator[ListingSign]:
    """MASQUERADE rules with and without full randomization of source ports beside each other: the first that matches
    decides."""
    for each in dumps:
        rules = [rule for rule in each.dump.nat_rules if rule.target == "MASQUERADE"]
        random = {_match_of(rule) for rule in rules if rule.fully_random}
        for rule in rules:
            if not rule.fully_random and _match_of(rule) in random:
                yield ListingSign(
                    "masquerade", "info", "Two MASQUERADE rules with one match",
                    f"{of_rule(rule.text)} is there with and without --random-fully; the first of the two decides.",
                    ((each.input, rule.line),), 1,
                    "which of them the failing connections matched", "iptables-save -c -t nat; conntrack -S",
                )  # fmt: skip


def untranslated_signs(dumps: Sequence[DumpInput]) -> Iterator[ListingSign]:
    """The nat table as `iptables -t nat -L` prints it, without any rule."""
    for each in dumps:
        policies = {rule.chain: rule for rule in each.dump.filter_rules if rule.text.startswith(":")}
        is_nat = "POSTROUTING" in policies and "PREROUTING" in policies and "FORWARD" not in policies
        if is_nat and not each.dump.nat_rules and len(policies) == len(each.dump.filter_rules):
            yield ListingSign(
                "no-translation", "info", "The nat table has no rule",
                "No rule of this nat table translates an address: packets of containers and pods leave with their own "
                "source address, which hosts outside do not answer.",
                ((each.input, policies["POSTROUTING"].line),), 1,
                "whether nftables or another iptables variant translates instead",
                "nft list ruleset; iptables-legacy -t nat -S; iptables-nft -t nat -S",
            )  # fmt: skip


def _match_of(rule: NatRule) -> str:
    return rule.text.replace(" --random-fully", "").strip()


TABLE_SIGNS: Final[tuple[ReadSigns, ...]] = (
    policy_signs, uncounted_signs, neighbor_signs, route_signs, policy_rule_signs, bridge_signs, card_signs,
    module_signs,
    setting_signs, queue_signs, duplicate_signs, endpointless_signs, masquerade_signs, untranslated_signs,
)  # fmt: skip
