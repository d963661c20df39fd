"""A stored capture as children read it on demand: plain, and without credentials."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from backend.errors import UnreadableInput
from backend.limits import Limits
from workers.decode.frame_places import NotWalkable
from workers.decode.frames.plain import plain_capture
from workers.decode.scrubbing import scrub_capture
from workers.ingested import load_ingested

NOT_CLEARED: Final = (
    "It holds credentials in clear text that cannot be overwritten in this form, so no frame is shown."
)


@dataclass(frozen=True)
class ClearFile:
    """A stored capture and the folder of its tables, where the plain and the cleared copy are kept."""

    name: str
    stored: Path
    tables: Path
    holds_credentials: bool

    def bytes_kept(self) -> Path:
        """The stored file as it is; raises UnreadableInput when it is gone."""
        if not self.stored.is_file():
            raise UnreadableInput(f"The bytes of {self.name} are no longer stored.")
        return self.stored

    def plain(self, limits: Limits, scratch: Path) -> Path:
        """The capture as a plain pcap or pcapng. An unpacked copy is made once, but for what holds credentials: of
        that none stays."""
        stored = self.bytes_kept()
        kept = (scratch if self.holds_credentials else self.tables) / "plain.capture"
        return kept if kept.is_file() else plain_capture(stored, kept, limits)

    def cleared(self, limits: Limits, scratch: Path) -> Path:
        """The plain capture with credentials overwritten; the copy is made once."""
        if not self.holds_credentials:
            return self.plain(limits, scratch)
        kept = self.tables / "cleared.capture"
        if kept.is_file():
            return kept
        capture = load_ingested(self.tables).capture
        if capture is None:
            raise UnreadableInput(f"{self.name} is no capture.")
        plain = self.plain(limits, scratch)
        unfinished = scratch / "cleared.part"
        try:
            scrub_capture(plain, capture, self.tables / "packets.parquet", unfinished)
        except NotWalkable:
            unfinished.unlink(missing_ok=True)
            raise UnreadableInput(f"{self.name}: {NOT_CLEARED}") from None
        unfinished.rename(kept)
        return kept
