"""The picture that a chat shows beside a link's title: the lanes and the marks of what was found, without a word.

A PNG (ISO/IEC 15948) of 1200 x 630 pixels, as chats cut others. It is drawn here because it is nothing but rectangles.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from backend.errors import NotFound
from backend.forensics.report import FindingPart, LanePart, Report
from backend.services.open_tables import epoch_ns, span_of
from backend.services.preview_share import previewed
from backend.services.read_report import read_report, report_path
from backend.storage.store import Store

WIDTH, HEIGHT = 1200, 630
_LEFT, _RIGHT, _TOP, _BOTTOM = 40, 1160, 60, 560
_LANES_MOST: Final = 24
_PAGE, _LANE, _NOBODY, _STRIP = (246, 247, 249), (198, 204, 214), (226, 229, 234), (255, 255, 255)
_ROLES: Final = {
    "loss": (250, 65, 1),
    "stall": (79, 62, 30),
    "burst": (12, 63, 116),
    "collision": (229, 57, 241),
    "ok": (51, 160, 117),
    "neutral": (107, 114, 128),
}
"""The colours of the light theme."""

Pixels = NDArray[np.uint8]
Colour = tuple[int, int, int]


def preview_picture(store: Store, share_id: str) -> bytes:
    """The PNG; raises NotFound where the link's preview has none."""
    found = previewed(store, share_id)
    if found is None:
        raise NotFound("There is nothing at this address.")
    shown, share = found
    path = report_path(shown, share.investigation_id)
    report = read_report(shown, share.investigation_id)
    return _drawn(path, path.stat().st_mtime_ns, share.finding_id, _Held(report))


class _Held:
    """A report that rides along without being part of a cache key."""

    def __init__(self, report: Report) -> None:
        self.report = report

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Held)

    def __hash__(self) -> int:
        return 0


@lru_cache(maxsize=32)
def _drawn(path: Path, modified_ns: int, finding_id: str, held: _Held) -> bytes:
    del path, modified_ns
    findings = [each for each in held.report.findings if finding_id in ("", each.id)]
    return draw_timeline(held.report, findings)


def draw_timeline(report: Report, findings: Sequence[FindingPart]) -> bytes:
    """A PNG of the report's lanes with the marks of these findings, of which neutral ones lie below the others."""
    pixels: Pixels = np.empty((HEIGHT, WIDTH, 3), np.uint8)
    pixels[:] = _PAGE
    lanes = report.lanes[:_LANES_MOST]
    height = (_BOTTOM - _TOP) // max(1, len(lanes))
    middle = {lane.id: _TOP + height * number + height // 2 for number, lane in enumerate(lanes)}
    for lane in lanes:
        _draw_lane(pixels, lane, middle[lane.id])
    begin_ns, end_ns = span_of(report)
    marks = [mark for finding in findings for mark in finding.marks]
    for mark in sorted(marks, key=lambda mark: mark.role != "neutral"):
        left, right = (_column(text, begin_ns, end_ns) for text in (mark.start, mark.end or mark.start))
        rows = [middle[lane] for lane in mark.lanes if lane in middle]
        if rows:
            reach = max(4, min(height // 3, 18))
            _fill(pixels, (left - 1, right + 2), (min(rows) - reach, max(rows) + reach), _ROLES[mark.role])
    return png(pixels)


def _draw_lane(pixels: Pixels, lane: LanePart, y: int) -> None:
    if lane.captured:
        _fill(pixels, (_LEFT, _RIGHT), (y - 12, y + 12), _STRIP)
        _fill(pixels, (_LEFT, _RIGHT), (y - 1, y + 1), _LANE)
        return
    for x in range(_LEFT, _RIGHT, 12):
        _fill(pixels, (x, min(x + 6, _RIGHT)), (y - 12, y + 12), _NOBODY)


def _column(text: str, begin_ns: int, end_ns: int) -> int:
    share = (epoch_ns(text) - begin_ns) / max(1, end_ns - begin_ns)
    return _LEFT + round(min(max(share, 0.0), 1.0) * (_RIGHT - _LEFT))


def _fill(pixels: Pixels, columns: tuple[int, int], rows: tuple[int, int], colour: Colour) -> None:
    pixels[max(0, rows[0]) : rows[1], max(0, columns[0]) : columns[1]] = colour


def png(pixels: Pixels) -> bytes:
    """8-bit RGB pixels, rows by columns by 3, as a PNG."""
    height, width, _ = pixels.shape
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    # Each row begins with its filter, none.
    rows = np.concatenate([np.zeros((height, 1), np.uint8), pixels.reshape(height, width * 3)], axis=1)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 6)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, content) for kind, content in parts)


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
