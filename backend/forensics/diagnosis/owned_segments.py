"""Connections whose repeated segments a more specific cause explains: loss on the path is not blamed for them again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from backend.forensics.cases.case import Case
from backend.forensics.cases.idle_timeout import IdleTimeout
from backend.forensics.cases.path_mtu import PathMtu
from backend.forensics.cases.zero_window import ZeroWindow
from backend.forensics.evidence.attempts.delays import Frame
from backend.forensics.evidence.clocks.sorted_rows import distinct
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.tcp.unaccepted import unaccepted
from backend.forensics.signals import SENT_AGAIN

OWNERS = (PathMtu, IdleTimeout, ZeroWindow)


def owned_nodes(facts: Facts, findings: Sequence[Case], row_of: Mapping[Frame, int]) -> frozenset[int]:
    """Connections (`TcpAnomalies.node`) of the findings that name their cause, and those that the server had not
    taken."""
    frames = (
        (part.input, frame)
        for finding in findings
        if isinstance(finding, OWNERS) and finding.is_harmful
        for part in finding.evidence
        for frame in part.frames or ()
    )
    rows = {row_of[frame] for frame in frames if frame in row_of}
    named = {int(facts.anomalies.node[row]) for row in rows}
    return frozenset(named.union(_untaken(facts)))


def _untaken(facts: Facts) -> list[int]:
    """Where their client's first data came again; what one vantage point shows holds for the others."""
    anomalies, link = facts.anomalies, facts.attempts.sightings.link_of_node
    again = ((anomalies.rows["kind"] & SENT_AGAIN) != 0) & (anomalies.rows["from_client"] != 0)
    node = distinct(anomalies.node[again])
    if not len(node) or len(link) != len(anomalies.connections):
        return []
    shown = np.concatenate([unaccepted(capture) for capture in facts.captures])
    found: list[int] = node[np.isin(link[node], link[shown])].tolist()
    return found
