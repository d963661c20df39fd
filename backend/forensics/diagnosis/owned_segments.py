"""Connections whose repeated segments a more specific cause explains: loss on the path is not blamed for them again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from backend.forensics.diagnosis.measured import loud
from backend.forensics.evidence.delays import Frame
from backend.forensics.evidence.stumbles import Stumbles
from backend.forensics.report import FindingPart
from backend.forensics.signals import SENT_AGAIN

OWNERS = ("path-mtu", "idle-timeout", "zero-window")
UNFINISHED_LEAST = 3
"""So many handshakes that the server repeated although they were complete are no chance."""


def owned_nodes(
    stumbles: Stumbles, findings: Sequence[FindingPart], row_of: Mapping[Frame, int]
) -> frozenset[int]:
    """Connections (`Stumbles.node`) of the findings that name their cause, and those that the server never accepted."""
    frames = (
        (part.input, frame)
        for kind in OWNERS
        for finding in loud(findings, kind)
        for part in finding.evidence
        for frame in part.frames or ()
    )
    rows = {row_of[frame] for frame in frames if frame in row_of}
    named = {int(stumbles.node[row]) for row in rows}
    return frozenset(named | _unfinished(stumbles))


def _unfinished(stumbles: Stumbles) -> set[int]:
    """The client's first data came again, and so did the SYN-ACK: the server had dropped the ACK between them, as it
    does while the accept queue is full (data would have carried the ACK otherwise)."""
    table, rows = stumbles.connections, stumbles.rows
    again = ((rows["kind"] & SENT_AGAIN) != 0) & (rows["from_client"] != 0)
    node = stumbles.node[again]
    first = rows["sequence"][again] == table["isn"][node] + np.uint32(1)
    first &= (table["syns"][node] > 0) & (table["syn_acks"][node] > table["syns"][node])
    found = set(node[first].tolist())
    return found if len(found) >= UNFINISHED_LEAST else set()
