"""The tunnel paths that the loop numbered, in words and addresses."""

from __future__ import annotations

import numpy as np

from backend.forensics.addresses import address_text
from backend.forensics.tunnels import NO_TUNNEL, Tunnel, TunnelLayer
from workers.decode.loop.records import MAX_DEPTH, MAX_PATHS
from workers.decode.tables import Tables


def _end(layer: np.void, end: str) -> str:
    high, low = int(layer[f"{end}_high"]), int(layer[f"{end}_low"])
    return address_text(high, low) if high or low else ""


def _layer(layer: np.void) -> TunnelLayer:
    number = int(layer["number"]) if layer["has_number"] else None
    return TunnelLayer(int(layer["kind"]), number, _end(layer, "lower"), _end(layer, "upper"))


def _tunnel(tables: Tables, number: int) -> Tunnel:
    path = tables.paths[number]
    first = number * MAX_DEPTH
    layers = tables.layers[first : first + int(path["depth"])]
    return Tunnel(tuple(map(_layer, layers)), int(path["network"]))


def list_tunnels(tables: Tables) -> tuple[Tunnel, ...]:
    """Path by number, the empty path first; nothing at all in a capture without tunnels."""
    known = int(tables.state["paths"])
    if known == 1:
        return ()
    numbered = [NO_TUNNEL, *(_tunnel(tables, number) for number in range(1, known))]
    if tables.paths[MAX_PATHS - 1]["depth"]:
        numbered += [NO_TUNNEL] * (MAX_PATHS - 1 - known)
        numbered.append(_tunnel(tables, MAX_PATHS - 1))
    return tuple(numbered)
