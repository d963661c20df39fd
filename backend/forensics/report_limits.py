"""The part of the report that says what limited connections."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class LimitsPart(BaseModel):
    """What limited the connections to a destination that transferred data: shares of their time together, which add up
    to 1. Without data, or begun before the capture, nothing is known of a connection."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    connections: int
    seconds: float
    """How long all of them were open."""
    application_ratio: float
    """The sender's application had nothing to send."""
    receiver_window_ratio: float
    network_ratio: float
    """Round trips, congestion window and losses."""
    handshake_ratio: float
