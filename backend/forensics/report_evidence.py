"""Where something can be seen, and who had an address: parts of the report that others refer to."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from backend.forensics.dumps import NameSort
from backend.forensics.report_text import Text
from backend.text_classes import AddressText, FileText, TimeText


class EvidencePart(BaseModel):
    """Where it can be seen: frames of a capture or lines of a dump, by input name."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    input: FileText
    frames: list[int] = []
    lines: list[int] = []
    note: Text = ""


class NamePart(BaseModel):
    """Who had an address, and when. Times are RFC 3339 with nanoseconds."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    address: AddressText
    name: AddressText
    """``namespace/pod``, ``namespace/service``, a node's, a container's or a host's name."""
    sort: NameSort
    start: TimeText | None = None
    """Since then; None: since before the capture, or for as long as is known."""
    end: TimeText | None = None
    """Until then, not included."""
    evidence: EvidencePart
    """Where the name is stated."""
