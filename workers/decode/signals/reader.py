"""Signals of a capture, batch by batch."""

from __future__ import annotations

from backend.forensics.signals import SIGNAL_DTYPE
from workers.decode.growing import RecordList, Records
from workers.decode.tables import Tables


class SignalReader:
    """Takes away the signals that the loop has picked."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._found = RecordList(SIGNAL_DTYPE)

    def take(self) -> None:
        """To be called once a batch: the loop has room for one signal a packet."""
        picker = self._tables.picker
        count = int(picker[0]["signals"])
        if count:
            self._found.extend(picker["rows"][0][:count])
            picker["signals"] = 0

    def finish(self) -> Records:
        """All of them, SIGNAL_DTYPE, in file order."""
        return self._found.view()
