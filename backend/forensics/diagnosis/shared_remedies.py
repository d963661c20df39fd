"""Remedies that several causes give."""

from __future__ import annotations

from backend.forensics.report import RemedyPart


def keep_connections_open(*, check: str, proof: str, shorter_than: str) -> RemedyPart:
    """Fewer new connections need fewer ports; `shorter_than` names the time-outs that idle ones must not outlive."""
    return RemedyPart(
        what="Keep connections open and share them (HTTP keep-alive, a connection pool)",
        applies_to="clients",
        check=check,
        proof=proof,
        undo="the former setting",
        side_effect=f"idle connections stay open: their time-out must be shorter than {shorter_than}",
    )
