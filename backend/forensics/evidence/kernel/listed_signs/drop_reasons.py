"""What names of drop reasons mean: include/net/dropreason-core.h of Linux 6.11, and Cilium's api/v1/flow/flow.proto."""

from __future__ import annotations

from typing import Final

_REASONS: Final = {
    "NETFILTER_DROP": "a rule of iptables or nftables dropped it",
    "IPTABLE_RULE_DROP": "a rule of iptables dropped it",
    "NO_SOCKET": "no socket listens there",
    "IP_RPFILTER": "the reverse-path filter refused its source",
    "IP_INNOROUTES": "no route leads to where it goes",
    "IP_OUTNOROUTES": "no route leads to where it goes",
    "TCP_CSUM": "its TCP checksum is wrong",
    "UDP_CSUM": "its UDP checksum is wrong",
    "IP_CSUM": "its IP checksum is wrong",
    "SOCKET_FILTER": "a filter on the socket (BPF) refused it",
    "SOCKET_RCVBUFF": "the socket's receive buffer was full",
    "SOCKET_BACKLOG": "the socket's backlog was full",
    "CPU_BACKLOG": "the receive queue of a CPU was full (net.core.netdev_max_backlog)",
    "QDISC_DROP": "the queue of the interface was full",
    "FULL_RING": "a ring was full",
    "NEIGH_FAILED": "nobody answered ARP or neighbor discovery for the next hop",
    "NEIGH_CREATEFAIL": "the neighbor table was full",
    "NEIGH_QUEUEFULL": "too many packets waited for a neighbor to answer",
    "PKT_TOO_BIG": "it is larger than the MTU",
    "TCP_RFC7323_PAWS": "its time stamp is older than that of the packet before (PAWS)",
    "TCP_INVALID_SEQUENCE": "its sequence number is outside the window",
    "TCP_OLD_SEQUENCE": "its sequence number was received before",
    "TCP_ZEROWINDOW": "the receiver's window was closed",
    "TCP_INVALID_SYN": "a SYN came on an open connection",
    "TC_INGRESS": "a program at tc ingress (Cilium, for example) dropped it",
    "TC_EGRESS": "a program at tc egress (Cilium, for example) dropped it",
    "XDP": "an XDP program dropped it",
    "POLICY_DENIED": "a network policy denies it",
    "POLICY_DENY": "a network policy denies it",
    "NO_MAPPING_FOR_NAT_MASQUERADE": "the eBPF NAT has no free port or entry for it",
    "CT_MAP_INSERTION_FAILED": "the eBPF connection-tracking map was full",
    "FIB_LOOKUP_FAILED": "no route or neighbor was found",
    "STALE_OR_UNROUTABLE_IP": "its address belongs to no endpoint any more",
}
_PLACES: Final = {
    "nf_hook_slow": "a rule of iptables or nftables dropped it",
    "enqueue_to_backlog": "the receive queue of a CPU was full (net.core.netdev_max_backlog)",
}


def drop_meaning(reason: str, place: str) -> str:
    """A sentence with a blank before it, "" where nothing is known of both."""
    name = reason.upper().replace(" ", "_").removesuffix("_DROPPED")
    meaning = _REASONS.get(name) or (_PLACES.get(place) if not reason else None)
    return f" It means that {meaning}." if meaning else ""
