"""IP addresses as the two 64-bit halves that the packet table stores."""

from __future__ import annotations

import ipaddress
from functools import lru_cache

_V4_PREFIX = 0xFFFF << 32


@lru_cache(maxsize=65536)
def address_text(high: int, low: int) -> str:
    """The usual text of an address; v4-mapped values print as IPv4."""
    if high == 0 and low >> 32 == 0xFFFF:
        return f"{low >> 24 & 255}.{low >> 16 & 255}.{low >> 8 & 255}.{low & 255}"
    return str(ipaddress.IPv6Address((high << 64) | low))


def address_halves(text: str) -> tuple[int, int]:
    """(high, low) of an address in text; raises ValueError when it is none."""
    address = ipaddress.ip_address(text)
    if isinstance(address, ipaddress.IPv4Address):
        return 0, _V4_PREFIX | int(address)
    return int(address) >> 64, int(address) & 0xFFFFFFFFFFFFFFFF


def endpoint_text(high: int, low: int, port: int) -> str:
    """``10.0.0.1:80`` or ``[fd00::1]:80``."""
    text = address_text(high, low)
    return f"[{text}]:{port}" if ":" in text else f"{text}:{port}"


def shortest_text(text: str) -> str | None:
    """An address in its shortest form, None when it is none."""
    try:
        return str(ipaddress.ip_address(text))
    except ValueError:
        return None
