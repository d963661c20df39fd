"""Packets that were captured with a wrong checksum, and without one nearer to their sender: evidence of damage."""

from __future__ import annotations

from typing import Final

from backend.forensics.diagnosis.contract import Weighed
from backend.forensics.evidence.facts import Facts
from backend.forensics.findings import frame_evidence, plural

_FEW: Final = 3
"""Fewer may be the bits that a good link flips once in a while (packets)."""


def damaged_packets(facts: Facts, *, of_tunnel: bool) -> list[Weighed]:
    """At the vantage point that saw most of them. `of_tunnel`: the checksum is that around a packet in a tunnel."""
    seen = [w for w in facts.wrong_checksums if w.verdict == "damaged" and w.of_tunnel is of_tunnel]
    if not seen:
        return []
    most = max(seen, key=lambda each: each.packets)
    outer = "outer " if of_tunnel else ""
    text = f"{plural(most.packets, 'packet')} had a wrong {outer}checksum at {most.place.word}"
    if most.other is not None:
        text += f" and no wrong one at {most.other.word}, nearer to the sender"
    weight = 3.4 if most.packets >= _FEW else 2.0
    return [
        Weighed(weight, f"{text}.", frame_evidence(most.frames), "the receiver's kernel drops such a packet")
    ]
