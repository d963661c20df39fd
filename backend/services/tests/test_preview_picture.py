from __future__ import annotations

import struct
import zlib

import numpy as np

from backend.forensics.report import LanePart, Report, ToolPart
from backend.services.preview_picture import HEIGHT, WIDTH, draw_timeline, png


def pixels_of(picture: bytes) -> np.ndarray:
    """Decoded by the standard: chunks with their checksums, one deflate stream, rows without a filter."""
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    at, width, height, stream = 8, 0, 0, b""
    while at < len(picture):
        (length,) = struct.unpack_from(">I", picture, at)
        kind, content = picture[at + 4 : at + 8], picture[at + 8 : at + 8 + length]
        assert struct.unpack_from(">I", picture, at + 8 + length)[0] == zlib.crc32(kind + content)
        if kind == b"IHDR":
            width, height, depth, colours = struct.unpack(">IIBBxxx", content)
            assert (depth, colours) == (8, 2)
        stream += content if kind == b"IDAT" else b""
        at += length + 12
    rows = np.frombuffer(zlib.decompress(stream), np.uint8).reshape(height, 1 + 3 * width)
    assert not rows[:, 0].any()
    return rows[:, 1:].reshape(height, width, 3)


def test_what_is_written_is_what_a_reader_sees() -> None:
    given = np.arange(5 * 7 * 3, dtype=np.uint8).reshape(5, 7, 3)
    assert (pixels_of(png(given)) == given).all()


def test_marks_are_drawn_in_the_colour_of_their_role_and_nothing_is_without_them() -> None:
    lane = LanePart(id="a#0", name="eth0", role="uplink", captured=True)
    report = Report.model_validate(
        {
            "schema": "stallscope.report/1",
            "label": "x",
            "created": "2026-01-01T00:00:00Z",
            "tool": ToolPart(version="1"),
            "inputs": [],
            "findings": [_finding()],
            "diagnoses": [],
            "checked": [],
            "lanes": [lane, LanePart(id="b#0", name="b", role="pod", captured=False)],
        }
    )
    loss = np.array((250, 65, 1), np.uint8)
    drawn = pixels_of(draw_timeline(report, report.findings))
    assert drawn.shape == (HEIGHT, WIDTH, 3)
    assert (drawn == loss).all(axis=2).any()
    assert not (pixels_of(draw_timeline(report, [])) == loss).all(axis=2).any()


def _finding() -> dict[str, object]:
    mark = {"glyph": "missing", "role": "loss", "basis": "seen", "lanes": ["a#0"]}
    return {
        "id": "f-1", "kind": "syn-retransmission", "severity": "critical", "confidence": 1.0, "title": "t",
        "summary": "s",
        "count": 1, "first": None, "last": None, "time_lost_s": 0.0, "measures": {},
        "evidence": [{"input": "a", "frames": [1]}],
        "marks": [{**mark, "start": "2026-01-01T00:00:00Z"}, {**mark, "start": "2026-01-01T00:00:01Z"}],
    }  # fmt: skip
