"""What else delays a handshake, and why it is or is not this."""

from __future__ import annotations

from backend.forensics.diagnosis.causes.time_wait_collision.evidence import Collisions
from backend.forensics.report import RivalPart


def list_rivals(found: Collisions) -> list[RivalPart]:
    """Each with a status and its reason."""
    answered = "each of these SYNs was answered: none was lost"
    lost = (
        ("snat-port-race", "SNAT source-port collision"),
        ("node-drop", "Drop inside the node (firewall rule, policy or program)"),
        ("path-loss", "Packet loss on the path"),
        ("listen-overflow", "Accept queue overflow"),
    )
    parts = [RivalPart(cause=c, title=t, status="ruled-out", because=answered) for c, t in lost]
    return [*parts, _still_open(found), _ipvs()]


def _still_open(found: Collisions) -> RivalPart:
    title = "The old connection is still open at the server after a client restart"
    if found.reused:
        because = (
            f"the end of the old connection was captured in {len(found.reused):,} of "
            f"{len(found.challenges):,} cases"
        )
        return RivalPart(cause="connection-reset", title=title, status="ruled-out", because=because)
    because = "the old connection was not captured"
    command = "ss -tan | grep -v LISTEN"
    return RivalPart(
        cause="connection-reset", title=title, status="cannot-tell", because=because, command=command
    )


def _ipvs() -> RivalPart:
    title = "IPVS port reuse (conn_reuse_mode)"
    because = "IPVS drops such a SYN silently; these were answered"
    return RivalPart(cause="ipvs-port-reuse", title=title, status="ruled-out", because=because)
