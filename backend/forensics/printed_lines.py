"""Evidence in captures that were rebuilt from a printed text leads to the lines of that text, too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from backend.forensics.dumps import Dump
from backend.forensics.dumps.printed import capture_name
from backend.forensics.findings import FRAMES_SHOWN
from backend.forensics.report import EvidencePart, Report
from backend.forensics.rewritten import Rewriter


@dataclass(frozen=True)
class PrintedIn:
    """Where the frames of a capture stand: `lines` (1-based) of the input `text`, the line of frame 1 first."""

    text: str
    lines: NDArray[np.uint32]


def printed_places(dumps: Mapping[str, Sequence[Dump]]) -> dict[str, PrintedIn]:
    """By name of the capture; `dumps` are those of each text by its name."""
    places: dict[str, PrintedIn] = {}
    for text, listed in dumps.items():
        rows = [dump.printed.rows for dump in listed if len(dump.printed)]
        if not rows:
            continue
        joined = np.concatenate(rows)
        for number in np.unique(joined["capture"]).tolist():
            lines = np.sort(joined["line"][joined["capture"] == number])
            places[capture_name(_given_name(text), number)] = PrintedIn(text, lines)
    return places


def _given_name(text: str) -> str:
    """Among files that are kept, a text that was opened stands in itself: ``a.txt/a.txt``."""
    half = text[: len(text) // 2]
    return half if text == f"{half}/{half}" else text


def with_printed_lines(report: Report, places: dict[str, PrintedIn]) -> Report:
    """The report in which evidence that names such frames names their lines beside them."""
    return _Rewriter(places).model(report) if places else report


@dataclass(frozen=True)
class _Rewriter(Rewriter):
    places: dict[str, PrintedIn]

    def listed(self, values: list[Any]) -> list[Any]:
        """Of rows and frames nothing changes."""
        return super().listed(values) if any(isinstance(each, BaseModel) for each in values) else values

    def evidence(self, part: EvidencePart) -> list[EvidencePart]:
        """The part, and one of the lines where it has frames that were printed."""
        place = self.places.get(part.input)
        frames = [frame for frame in part.frames if place is not None and 0 < frame <= len(place.lines)]
        if place is None or not frames:
            return [part]
        lines = sorted({int(place.lines[frame - 1]) for frame in frames})[:FRAMES_SHOWN]
        return [part, EvidencePart(input=place.text, lines=lines)]
