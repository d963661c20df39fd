"""Connections whose packets travel inside an overlay: VXLAN (RFC 7348) or Geneve (RFC 8926)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from backend.forensics.tunnels import GENEVE, VXLAN

if TYPE_CHECKING:
    from backend.forensics.evidence.facts import Facts

OVERLAYS: Final = frozenset((VXLAN, GENEVE))


def overlay_links(facts: Facts) -> frozenset[int]:
    """Links of connections with a handshake packet that some vantage point saw inside an overlay."""
    seen = facts.attempts.sightings
    inside = np.flatnonzero((seen.rows["tunnel"] != 0) & (seen.link >= 0))
    if not len(inside):
        return frozenset()
    of_capture = [
        {n for n, path in enumerate(capture.tunnels) if any(layer.kind in OVERLAYS for layer in path.layers)}
        for capture in facts.captures
    ]
    capture = np.array([place.capture for place in seen.places])[seen.place[inside]]
    found: set[int] = set()
    for number, numbers in enumerate(of_capture):
        own = inside[capture == number]
        found.update(seen.link[own[np.isin(seen.rows["tunnel"][own], sorted(numbers))]].tolist())
    return frozenset(found)
