"""Round trips as the API shows them; absolute times are decimal texts of epoch ns."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from backend.services.list_round_trips import RoundTripPage


class RoundTrip(BaseModel):
    """A packet that asked and the packet that answered it, at the vantage point nearest to who asked."""

    sid: int
    sent_ns: str
    rtt_ms: float
    kind: str
    prober: str
    prober_port: int
    responder: str
    responder_port: int
    input: str
    """Frames are numbers of this input."""
    vantage: str
    sent_frame: int
    answer_frame: int
    finding: str | None
    """Id of the finding whose stall held it."""
    instance: int | None
    """Which of its stalls."""

    @classmethod
    def of(cls, row: dict[str, Any]) -> RoundTrip:
        """A row of the table; times become texts, for JavaScript's numbers end at 2^53."""
        return cls.model_validate({**row, "sent_ns": str(row["sent_ns"])})


class RoundTripList(BaseModel):
    """A page of samples."""

    items: list[RoundTrip]
    total: int
    next_cursor: str | None

    @classmethod
    def of(cls, page: RoundTripPage) -> RoundTripList:
        """The service's answer in the API's words."""
        return cls(
            items=[RoundTrip.of(row) for row in page.items], total=page.total, next_cursor=page.next_cursor
        )
