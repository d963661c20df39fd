"""Whose packets had passed a router before a vantage point: it is on no network of theirs, let alone in that host.

A host sends with a TTL of 64, 128 or 255 (Linux ip-sysctl.rst, ip_default_ttl; Windows DefaultTTL; RFC 1700 says 64),
some with 32, and each router takes one off (RFC 1812 section 5.3.1)."""

from __future__ import annotations

from typing import Final

import numpy as np

from backend.forensics.evidence.clocks.sightings import Sightings
from backend.forensics.evidence.clocks.sorted_rows import stable_argsort, taken
from backend.forensics.evidence.round_trips.round_trips import mix_keys

INITIAL_TTLS: Final = (32, 64, 128, 255)


class RoutedHosts:
    """Asked for one host at one vantage point. Memory: 17 bytes for each source of handshake packets of each."""

    def __init__(self, sightings: Sightings) -> None:
        rows = sightings.rows
        key = mix_keys(sightings.place, rows["source_high"], rows["source_low"])
        order = stable_argsort(key)
        key, ttl = key[order], taken(rows["ttl"], order)
        new = np.ones(len(key), np.bool_)
        new[1:] = key[1:] != key[:-1]
        starts = np.flatnonzero(new)
        self._key = key[starts]
        self._highest = np.maximum.reduceat(ttl, starts) if len(starts) else ttl

    def passed_router(self, place: int, high: int, low: int) -> bool:
        """Whether every handshake packet from that address came with a TTL that no host begins with; False where none
        was seen."""
        wanted = mix_keys(np.array([place]), np.array([high], np.uint64), np.array([low], np.uint64))
        at = int(np.searchsorted(self._key, wanted[0]))
        if at == len(self._key) or self._key[at] != wanted[0]:
            return False
        highest = int(self._highest[at])
        return highest > 0 and highest not in INITIAL_TTLS
