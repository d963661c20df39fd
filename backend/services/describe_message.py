"""Words for a message: what begins in a frame."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from backend.forensics.addresses import address_text
from backend.forensics.evidence.dns.query_types import DNS_TYPES
from backend.forensics.messages import HELLO

DNS_CODES = {0: "no error", 1: "format error", 2: "server failure", 3: "no such name", 5: "refused"}
TLS_VERSIONS = {0x0301: "1.0", 0x0302: "1.1", 0x0303: "1.2", 0x0304: "1.3"}
ICMP_ERRORS = {
    4: {
        3: "destination unreachable",
        4: "source quench",
        5: "redirect",
        11: "time exceeded",
        12: "bad header",
    },
    6: {1: "destination unreachable", 2: "packet too big", 3: "time exceeded", 4: "bad header"},
}

Message = Mapping[str, Any]


def describe_message(kind: str, row: Message, frame: int) -> str:
    """``HTTP request GET /v1/ads?q=* to 10.0.0.1:8000`` …"""
    if kind == "http":
        return _http(row, frame)
    if kind == "dns":
        return _dns(row)
    if kind == "tls":
        return _tls(row)
    return _icmp_error(row)


def _http(row: Message, frame: int) -> str:
    request = f"{row['method']} {row['path']}" if row["method"] else ""
    if row["request_first_frame"] == frame:
        return f"HTTP request {request}" + (f" to {row['host']}" if row["host"] else "")
    return f"HTTP response {row['status']}" + (f" to {request}" if request else "")


def _dns(row: Message) -> str:
    kind = DNS_TYPES.get(row["type"], f"type {row['type']}")
    asked = f"{kind} {row['name'] or '.'}"
    if not row["header"] & 0x8000:
        return f"DNS query {asked}"
    code = DNS_CODES.get(row["rcode"], f"code {row['rcode']}")
    answer = f"DNS answer to {asked}: {code}, {row['answers']} records"
    if row["address_version"]:
        answer += f", {address_text(row['address_high'], row['address_low'])}"
    return answer + (", truncated" if row["header"] & 0x0200 else "")


def _tls(row: Message) -> str:
    if row["kind"] != HELLO:
        level = "fatal" if row["alert_level"] == 2 else "warning"
        return f"TLS alert {row['alert_code']} ({level})"
    version = TLS_VERSIONS.get(row["version"], f"0x{row['version']:04x}")
    named = f" for {row['server_name']}" if row["server_name"] else ""
    return f"TLS ClientHello{named}, up to version {version}" + (
        f", offers {row['alpn']}" if row["alpn"] else ""
    )


def _icmp_error(row: Message) -> str:
    name = ICMP_ERRORS.get(row["ip_version"], {}).get(row["type"], "error")
    mtu = f", next hop takes {row['mtu_bytes']} bytes" if row["mtu_bytes"] else ""
    source = address_text(row["quoted_source_high"], row["quoted_source_low"])
    target = address_text(row["quoted_destination_high"], row["quoted_destination_low"])
    ends = (f"{source}:{row['quoted_source_port']}", f"{target}:{row['quoted_destination_port']}")
    return f"ICMP {name} (code {row['code']}){mtu}, quotes {ends[0]} > {ends[1]}"
