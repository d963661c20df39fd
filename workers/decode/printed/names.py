"""Addresses and ports that a text prints by name, because nobody gave `-n`."""

from __future__ import annotations

import re
from typing import Final

from workers.decode.printed.headers import packed_address

_SERVICES: Final = {
    "domain": 53, "http": 80, "https": 443, "ssh": 22, "http-alt": 8080, "webcache": 8080, "https-alt": 8443,
    "bootps": 67, "bootpc": 68, "ntp": 123, "snmp": 161, "bgp": 179, "ldap": 389, "ldaps": 636, "kerberos": 88,
    "smtp": 25, "imaps": 993, "mysql": 3306, "postgresql": 5432, "postgres": 5432, "redis": 6379, "amqp": 5672,
    "otv": 8472, "vxlan": 4789, "geneve": 6081, "microsoft-ds": 445, "nfs": 2049, "sunrpc": 111, "mongodb": 27017,
    "zabbix-agent": 10050, "etcd-client": 2379, "etcd-server": 2380, "isakmp": 500, "ipsec-nat-t": 4500, "sip": 5060,
    "syslog": 514, "telnet": 23, "ftp": 21, "mdns": 5353, "websm": 9090, "italk": 12345, "commplex-main": 5000,
    "radan-http": 8088, "irdmi": 8000, "sunwebadmin": 8800, "ddi-tcp-1": 8888, "pcsync-https": 8443, "cslistener": 9000,
    "wap-wsp": 9200, "krb5": 88, "submission": 587, "ms-sql-s": 1433, "ajp13": 8009, "xmltec-xmlmail": 9091,
}  # fmt: skip
"""Names of IANA's registry that the programs print, as in /etc/services."""
_IN_NAME = re.compile(r"(?:^|[^\d])(\d{1,3})-(\d{1,3})-(\d{1,3})-(\d{1,3})(?:[^\d]|$)")
"""Cloud providers name hosts by their address: ``ip-10-0-1-2.ec2.internal``, ``10-0-1-2.default.pod.cluster.local``."""
_RESERVED: Final = 240
"""First byte of an address that stands for a name (RFC 1112 section 4: class E is never used)."""
_MOST_NAMES: Final = 65_000


class Names:
    """What stands for each name of a text; the same name is always the same address."""

    def __init__(self) -> None:
        self.hosts: dict[str, bytes] = {}
        self._invented_names = 0

    def address(self, text: str, *, wide: bool) -> bytes:
        """The address that a text prints; for a name the one in it, or one of a range that nobody uses."""
        packed = packed_address(text)
        if packed is None:
            packed = self.hosts.get(text) or self._invented(text)
        if wide and len(packed) == 4:
            return b"\x00" * 10 + b"\xff\xff" + packed
        return packed

    def _invented(self, text: str) -> bytes:
        inside = _IN_NAME.search(text)
        packed = packed_address(".".join(inside.groups())) if inside else None
        if packed is None:
            self._invented_names += 1
            number = min(self._invented_names, _MOST_NAMES)
            packed = bytes((_RESERVED, 0, number >> 8, number & 0xFF))
        if len(self.hosts) < _MOST_NAMES:
            self.hosts[text] = packed
        return packed


def split_end(text: str) -> tuple[str, int | None]:
    """Host and port of ``10.0.0.1.80``, ``fe80::1.53``, ``node-a.http``; the port is None where there is none."""
    host, dot, last = text.rpartition(".")
    if not dot or (":" not in text and text.count(".") == 3 and packed_address(text) is not None):
        return text, None
    if last.isdigit() and len(last) <= 5:
        return host, int(last) & 0xFFFF
    port = _SERVICES.get(last)
    if port is None and packed_address(host) is not None:
        return host, 0  # a service that is not in the table: the address is known
    return (text, None) if port is None else (host, port)
