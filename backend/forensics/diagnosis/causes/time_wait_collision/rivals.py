"""What else delays a handshake, and why it is or is not this."""

from __future__ import annotations

from backend.forensics.diagnosis.causes.time_wait_collision.evidence import Collisions
from backend.forensics.report import RivalPart


def list_rivals(found: Collisions) -> list[RivalPart]:
    """Each with a status and its reason."""
    answered = "an answer came back for each of these SYNs: none was lost"
    lost = (
        ("snat-port-race", "SNAT tuple collision"),
        ("node-drop", "A rule or program in the node drops them"),
        ("path-loss", "Packets lost on the way"),
        ("listen-overflow", "Server's accept queue full"),
    )
    parts = [RivalPart(cause=c, title=t, status="ruled-out", because=answered) for c, t in lost]
    return [*parts, _still_open(found), _ipvs()]


def _still_open(found: Collisions) -> RivalPart:
    title = "The old connection is still open at the server, its client having restarted"
    if found.reused:
        because = (
            f"the old connection was seen to end in {len(found.reused):,} of {len(found.challenges):,} cases"
        )
        return RivalPart(cause="connection-reset", title=title, status="ruled-out", because=because)
    because = "the old connection was not captured"
    command = "ss -tan | grep -v LISTEN"
    return RivalPart(
        cause="connection-reset", title=title, status="cannot-tell", because=because, command=command
    )


def _ipvs() -> RivalPart:
    title = "IPVS port reuse (conn_reuse_mode)"
    because = "IPVS drops such a SYN in silence; these were answered"
    return RivalPart(cause="ipvs-port-reuse", title=title, status="ruled-out", because=because)
