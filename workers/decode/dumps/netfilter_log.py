"""Packets that a LOG or TRACE target of iptables or nftables writes into the kernel's log.

As of net/netfilter/nf_log_syslog.c:

FORWARD drop: IN=cni0 OUT=eth0 SRC=10.244.1.5 DST=10.0.0.9 LEN=60 TTL=63 PROTO=TCP SPT=40000 DPT=443 SYN
TRACE: filter:FORWARD:rule:3 IN=cni0 OUT=eth0 SRC=10.244.1.5 DST=10.0.0.9 PROTO=TCP SPT=40000 DPT=443
"""

from __future__ import annotations

import re

from backend.forensics.dumps import DropEvent
from workers.decode.dumps.fields import canonical_address

_FIELDS = re.compile(
    r"(?P<prefix>.{0,128}?)\bIN=(?P<interface>\S{0,15}) OUT=(?P<out>\S{0,15}) .{0,200}?"
    r"SRC=(?P<source>[0-9a-fA-F.:]{2,45}) DST=(?P<destination>[0-9a-fA-F.:]{2,45})\b(?P<rest>.{0,600})"
)
_PROTOCOL = re.compile(r"\bPROTO=(\S{1,10})")
_PORTS = re.compile(r"\bSPT=(\d{1,5}) DPT=(\d{1,5})")
_DROPS = re.compile(r"drop|den(?:y|ied)|reject|block|invalid|martian|rpfilter", re.IGNORECASE)
_TRACE = re.compile(r"TRACE: (?P<rule>\S{1,120}) ?$")


def logged_packet(text: str, number: int, time_ns: int | None) -> DropEvent | None:
    """The packet of a message; its prefix says whether the rule that logged it drops such packets, None without one."""
    found = _FIELDS.search(text)
    if found is None:
        return None
    prefix = found["prefix"].strip().rstrip(":").strip()
    trace, protocol, ports = (
        _TRACE.search(found["prefix"]),
        _PROTOCOL.search(found["rest"]),
        _PORTS.search(found["rest"]),
    )
    return DropEvent(
        number, "netfilter-log", "" if trace else prefix, trace["rule"] if trace else prefix, 1, time_ns,
        protocol[1].lower() if protocol else "",
        canonical_address(found["source"]) or "", int(ports[1]) & 0xFFFF if ports else None,
        canonical_address(found["destination"]) or "", int(ports[2]) & 0xFFFF if ports else None,
        dropped=trace is None and _DROPS.search(prefix) is not None, interface=found["interface"] or found["out"],
    )  # fmt: skip
