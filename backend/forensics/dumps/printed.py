"""Packets that tcpdump or tshark printed: the lines they begin in, beside the capture that was rebuilt of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from backend.forensics.dumps.table import RecordTable

PRINTED_DTYPE: Final = np.dtype(
    [
        ("line", "<u4"),  # 1-based, in the whole text
        ("capture", "<u2"),  # which of the captures rebuilt from the text holds it, from 1
    ]
)
"""One packet, in the order of the lines, which within a capture is that of its frames."""


@dataclass(frozen=True)
class PrintedLine:
    """A row of the table in words."""

    line: int
    capture: int


class PrintedTable(RecordTable[PrintedLine]):
    """Where packets begin."""

    dtype: ClassVar = PRINTED_DTYPE

    def _record(self, row: np.void) -> PrintedLine:
        return PrintedLine(int(row["line"]), int(row["capture"]))


def capture_name(text_name: str, number: int) -> str:
    """What the capture is called that was rebuilt from a text: a name that leads back to it."""
    return f"{text_name} (packets)" if number == 1 else f"{text_name} (packets {number})"
