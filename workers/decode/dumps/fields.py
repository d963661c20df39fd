"""Reads numbers, addresses and ports out of text that nobody vouches for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from ipaddress import IPv4Address, ip_address

LONGEST_LINE = 65_536
"""Longer lines are not understood: no kernel listing has them."""
NO_LEVEL = (
    r"(?!(?i:trace|debug|info|notice|warn|warning|err|error|crit|critical|alert|emerg|fatal|panic)\b[^.-])"
)
"""Begins a pattern for a host of a log line: programs write the level where syslog writes the host."""


def numbered(lines: Sequence[str], first_line: int) -> Iterator[tuple[int, str]]:
    """(number, line) of the lines that are not blank; the text of one that is too long to be real is ""."""
    for number, line in enumerate(lines, first_line):
        if line and not line.isspace():
            yield number, line if len(line) <= LONGEST_LINE else ""


def whole_number(text: str, *, largest: int = 2**64 - 1) -> int | None:
    """A decimal number without sign, or None."""
    # `int` alone also takes `1_0` and `٣`, and raises past 4,300 digits.
    if not (text.isascii() and text.isdigit()) or len(text) > 20:
        return None
    number = int(text)
    return number if number <= largest else None


def hexadecimal_number(text: str) -> int | None:
    """A hexadecimal number without prefix, or None."""
    if not text or len(text) > 16 or not all(digit in "0123456789abcdefABCDEF" for digit in text):
        return None
    return int(text, 16)


@lru_cache(maxsize=65_536)
def canonical_address(text: str) -> str | None:
    """The address in its shortest form (/proc writes IPv6 in full), or None if it is none."""
    if len(text) > 64:
        return None
    try:
        return str(ip_address(text))
    except ValueError:
        return None


def port_range(text: str) -> tuple[int, int] | None:
    """The ports of ``20000-20063`` or ``20000``, or None."""
    first_text, _, last_text = text.partition("-")
    first = whole_number(first_text, largest=65_535)
    last = whole_number(last_text, largest=65_535) if last_text else first
    return None if first is None or last is None else (first, last)


def port_range_of_source(text: str) -> tuple[int, int] | None:
    """The ports of ``10.0.0.1-10.0.0.4:1024-2048``, ``[fd00::1]:1-2`` or ``:1-2``; None without ports."""
    if text.startswith("["):
        _, bracket, after = text.rpartition("]")
        return port_range(after[1:]) if bracket and after.startswith(":") else None
    if text.count(":") != 1:
        return None
    return port_range(text.partition(":")[2])


def endpoint(text: str, *, hexadecimal: bool = False) -> tuple[str, int] | None:
    """Address and port of ``10.0.0.1:80``, ``[fd00::1]:80`` or, as in /proc, ``0A000001:0050``; None otherwise."""
    address_text, colon, port_text = text.rpartition(":")
    bracketed = address_text.startswith("[") and address_text.endswith("]")
    read_port = hexadecimal_number(port_text) if hexadecimal else whole_number(port_text, largest=65_535)
    if not colon or read_port is None or read_port > 65_535:
        return None
    address = proc_address(address_text) if hexadecimal else None
    address = address or canonical_address(address_text[1:-1] if bracketed else address_text)
    return None if address is None else (address, read_port)


def proc_address(text: str) -> str | None:
    """The address that /proc/net/ip_vs* writes as ``0A000001`` (network order); None for anything else."""
    value = hexadecimal_number(text) if len(text) == 8 else None
    return None if value is None else str(IPv4Address(value))
