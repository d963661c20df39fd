"""How many source ports clouds give an instance for one destination, and how long they keep one after the close.

One line a limit: an update is a line, with the day on which somebody read its source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class CloudLimit:
    """`ports` for each destination address, port and protocol; each stays in use for `kept_s` after the close."""

    product: str
    ports: int
    kept_s: int
    versions: str
    source: str
    verified_on: str


_GOOGLE: Final = "cloud.google.com, Cloud NAT: NAT timeouts, and its release notes of 2026-03-31"
_AZURE: Final = "learn.microsoft.com, Azure Load Balancer: outbound connections (ports by default, release)"

CLOUD_LIMITS: Final = (
    CloudLimit(
        "Google Cloud NAT",
        64,
        120,
        "gateways made before 2026-06-30, some until 2026-09-29",
        _GOOGLE,
        "2026-11-25",
    ),
    CloudLimit(
        "Google Cloud NAT",
        64,
        30,
        "gateways made since 2026-09-30, some since 2026-06-30",
        _GOOGLE,
        "2026-11-25",
    ),
    CloudLimit("Azure Load Balancer", 1_024, 240, "1 to 50 instances", _AZURE, "2026-11-25"),
    CloudLimit("Azure Load Balancer", 512, 240, "51 to 100 instances", _AZURE, "2026-11-25"),
    CloudLimit("Azure Load Balancer", 256, 240, "101 to 200 instances", _AZURE, "2026-11-25"),
    CloudLimit("Azure Load Balancer", 128, 240, "201 to 400 instances", _AZURE, "2026-11-25"),
    CloudLimit("Azure Load Balancer", 64, 240, "401 to 800 instances", _AZURE, "2026-11-25"),
)
"""Defaults. A connection that ends by RST frees its port sooner (Azure: 15 s)."""
