"""What the parts of an analysis took, as the report shows it."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from backend.text_classes import FixedText


class TimingPart(BaseModel):
    """One detector, cause or list of the report. It differs from run to run and is not a result."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: FixedText
    """As in `checked`: a detector's kind, ``cause:…`` or ``report:…``."""
    cpu_s: float
    """Processor time. A fact that several parts ask for is counted with the first of them."""
    grown_bytes: int
    """How much the process's largest resident memory grew while the part ran: 0 where it fitted in what was held
    before."""
