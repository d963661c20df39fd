"""Tunnel paths: what a packet was wrapped in between the captured frame and the IP header that is analyzed.

A capture numbers its paths; number 0 is no tunnel. One VLAN tag on an otherwise bare frame is no path: the
`vlan` column shows it. Both directions of a tunnel are one path, so the outer addresses of a layer are the two
ends in the order of their numbers, not sender and receiver.

Equal addresses and ports in different networks are different connections. The network is what the VLAN ids,
VNIs, GRE keys and PPPoE sessions of the layers say. Numbers that a tunnel chooses for each direction anew
(MPLS labels, TEIDs, L2TP sessions), mirror sessions and outer addresses do not count: they would split a
connection into its two halves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from backend.forensics.addresses import address_halves, address_text

VLAN: Final = 1
MPLS: Final = 2
PPPOE: Final = 3
GRE: Final = 4
ERSPAN: Final = 5
IP_IN_IP: Final = 6
VXLAN: Final = 7
VXLAN_GPE: Final = 8
GENEVE: Final = 9
FLANNEL_UDP: Final = 10
GTP_U: Final = 11
L2TP: Final = 12
TEREDO: Final = 13
ETHER_IP: Final = 14
NVGRE: Final = 15
WIREGUARD: Final = 16
ESP_IN_UDP: Final = 17
OTHER: Final = 18
"""A path beyond the number that is kept apart."""

NAMES: Final = {
    VLAN: "VLAN", MPLS: "MPLS", PPPOE: "PPPoE", GRE: "GRE", ERSPAN: "ERSPAN", IP_IN_IP: "IP in IP",
    VXLAN: "VXLAN", VXLAN_GPE: "VXLAN-GPE", GENEVE: "Geneve", FLANNEL_UDP: "flannel UDP", GTP_U: "GTP-U",
    L2TP: "L2TP", TEREDO: "Teredo", ETHER_IP: "EtherIP", NVGRE: "NVGRE", WIREGUARD: "WireGuard (encrypted)",
    ESP_IN_UDP: "ESP in UDP (encrypted)", OTHER: "another tunnel",
}  # fmt: skip
_NUMBER_NAMES: Final = {
    VLAN: "", MPLS: "label", PPPOE: "session", GRE: "key", ERSPAN: "session", VXLAN: "VNI", VXLAN_GPE: "VNI",
    NVGRE: "VSID", GENEVE: "VNI", GTP_U: "TEID", L2TP: "session",
}  # fmt: skip


@dataclass(frozen=True)
class TunnelLayer:
    """One layer of a path. Ends are addresses in text, empty where the layer has none (VLAN, MPLS, PPPoE)."""

    kind: int
    number: int | None
    """VLAN id, VNI, key, label or session; None where the header carries none."""
    lower_end: str = ""
    upper_end: str = ""

    def __str__(self) -> str:
        words = NAMES.get(self.kind, f"layer {self.kind}")
        if self.number is not None:
            words = " ".join(
                part for part in (words, _NUMBER_NAMES.get(self.kind, ""), str(self.number)) if part
            )
        return f"{words} ({self.lower_end} ↔ {self.upper_end})" if self.lower_end else words


@dataclass(frozen=True)
class Tunnel:
    """A path from the outside in. `network` is the same number for all paths into one network, in every
    capture; 0 when nothing but the outermost VLAN distinguishes networks."""

    layers: tuple[TunnelLayer, ...] = ()
    network: int = 0

    def __str__(self) -> str:
        return " › ".join(map(str, self.layers))


NO_TUNNEL: Final = Tunnel()

LAYER_DTYPE: Final = np.dtype(
    [
        ("tunnel", "<u4"),
        ("network", "<u4"),
        ("depth", "u1"),  # 0 = outermost
        ("kind", "u1"),
        ("number", "<i8"),  # -1 where the header has none
        ("lower_high", "<u8"),
        ("lower_low", "<u8"),
        ("upper_high", "<u8"),
        ("upper_low", "<u8"),
    ]
)
"""Paths as a table, one row a layer."""


def layer_rows(tunnels: Sequence[Tunnel]) -> NDArray[np.void]:
    """The table of the paths (LAYER_DTYPE)."""
    rows = []
    for number, tunnel in enumerate(tunnels):
        for depth, layer in enumerate(tunnel.layers):
            ends = [address_halves(end) if end else (0, 0) for end in (layer.lower_end, layer.upper_end)]
            own = -1 if layer.number is None else layer.number
            rows.append((number, tunnel.network, depth, layer.kind, own, *ends[0], *ends[1]))
    return np.array(rows, LAYER_DTYPE)


def layer_of_row(row: Mapping[str, Any] | np.void) -> TunnelLayer:
    """A layer of a row of the table."""
    ends = [(int(row[f"{end}_high"]), int(row[f"{end}_low"])) for end in ("lower", "upper")]
    texts = [address_text(*end) if end != (0, 0) else "" for end in ends]
    return TunnelLayer(
        int(row["kind"]), None if row["number"] < 0 else int(row["number"]), texts[0], texts[1]
    )


def tunnels_of_rows(rows: NDArray[np.void]) -> tuple[Tunnel, ...]:
    """The paths of a table that `layer_rows` made; numbers without a layer are the empty path."""
    if not len(rows):
        return ()
    tunnels = [NO_TUNNEL] * (int(rows["tunnel"].max()) + 1)
    for row in rows:
        number = int(row["tunnel"])
        tunnels[number] = Tunnel((*tunnels[number].layers, layer_of_row(row)), int(row["network"]))
    return tuple(tunnels)
