"""Signals of a capture, batch by batch."""

from __future__ import annotations

from backend.forensics.signals import SIGNAL_DTYPE
from workers.decode.growing import GrowingRecords, RecordList, Records
from workers.decode.signals.picking import PICKER_DTYPE, pick_signals


class SignalReader:
    """Takes the signals out of one batch of packet rows after the other."""

    def __init__(self) -> None:
        self._memory = GrowingRecords(PICKER_DTYPE, 1)
        self._found = RecordList(SIGNAL_DTYPE)

    def take(self, rows: Records, connections: Records) -> None:
        """Picks from a batch, in file order, before its rows are given away."""
        picker = self._memory.array
        pick_signals(picker, rows, connections)
        count = int(picker[0]["signals"])
        if count:
            self._found.extend(picker["rows"][0][:count])
            picker["signals"] = 0

    def finish(self) -> Records:
        """All of them, SIGNAL_DTYPE, in file order."""
        return self._found.view()
