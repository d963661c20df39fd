"""A program: ``{"link_type": n, "hex": "…"}`` on standard input, the frame's tree by scapy on standard output.

It stands alone: nothing of Stallscope or of its other libraries is imported."""

from __future__ import annotations

import json
import logging
import sys
from typing import Any

_SHOWN_AT_MOST = 300


def _load(link_type: int) -> Any:
    logging.getLogger("scapy").setLevel(logging.CRITICAL)
    from scapy.config import conf
    from scapy.layers import all as _  # noqa: F401 - registers the protocols
    from scapy.layers.inet import TCP, UDP
    from scapy.packet import Raw

    # Ports stay numbers.
    conf.noenum.add(TCP.sport, TCP.dport, UDP.sport, UDP.dport)
    return conf.l2types.num2layer.get(link_type, Raw)


def _field(entry: Any, at: int, frame: bytes) -> dict[str, Any]:
    described, shown, raw = entry[0], entry[1], bytes(entry[2])
    text = f"{described.name}: {shown}"
    fits = len(raw) > 0 and frame[at : at + len(raw)] == raw
    return {
        "name": described.name,
        "text": text if len(text) <= _SHOWN_AT_MOST else text[:_SHOWN_AT_MOST] + "…",
        "begin": at if fits else 0,
        "end": at + len(raw) if fits else 0,
        "children": [],
    }


def _layer(packet: Any, fields: Any, at: int, frame: bytes) -> tuple[dict[str, Any], int]:
    children = []
    begin = at
    for entry in fields:
        children.append(_field(entry, at, frame))
        at += len(bytes(entry[2]))
    node = {
        "name": packet.__class__.__name__,
        "text": packet.name,
        "begin": begin,
        "end": min(at, len(frame)),
    }
    if not any(child["end"] for child in children):
        node["begin"] = node["end"] = 0
    return {**node, "children": children}, at


def dissect(link_type: int, frame: bytes) -> list[dict[str, Any]]:
    """Layers with their fields; a field has a place only where its bytes are those of the frame."""
    packet = _load(link_type)(frame)
    _, layers = packet.build_ps(internal=1)
    found, at = [], 0
    for layer, fields in reversed(layers):
        node, at = _layer(layer, fields, at, frame)
        found.append(node)
    return found


def main() -> None:
    """Reads one request, writes one answer."""
    asked = json.load(sys.stdin)
    json.dump(dissect(int(asked["link_type"]), bytes.fromhex(asked["hex"])), sys.stdout)


if __name__ == "__main__":
    main()
