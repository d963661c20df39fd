"""Which columns the tables of a decoded file have.

A file that another version decoded may lack columns that today's detectors read. It is decoded again before it is
judged: a column of zeros would be taken for a measurement.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import is_dataclass
from functools import cache
from pathlib import Path
from typing import Final, get_args, get_type_hints

from backend.forensics.captures import RecordedTimes, VantagePoint
from backend.forensics.connections import BUCKET_DTYPE, CONNECTION_DTYPE
from backend.forensics.dumps import Dump
from backend.forensics.messages import DTYPES, message_schema
from backend.forensics.packets import PACKET_DTYPE
from backend.forensics.round_trips import ROUND_TRIP_SCHEMA
from backend.forensics.signals import SIGNAL_DTYPE
from backend.forensics.tunnels import LAYER_DTYPE

_FILE: Final = "layout"


@cache
def layout() -> str:
    """A digest of every column's name and type."""
    records = (CONNECTION_DTYPE, BUCKET_DTYPE, PACKET_DTYPE, SIGNAL_DTYPE, LAYER_DTYPE)
    schemas = (ROUND_TRIP_SCHEMA, *(message_schema(name) for name in DTYPES))
    parts = [
        *(str(dtype.descr) for dtype in records),
        *(str(schema) for schema in schemas),
        *(part for kind in (Dump, VantagePoint, RecordedTimes) for part in _names(kind, set())),
    ]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _names(kind: object, known: set[object]) -> Iterator[str]:
    """The fields of a data class, and of those that it holds."""
    if isinstance(kind, type) and kind not in known:
        known.add(kind)
        if hasattr(kind, "dtype"):
            yield f"{kind.__name__}: {kind.dtype}"
        if is_dataclass(kind):
            for name, inner in get_type_hints(kind).items():
                yield f"{kind.__name__}.{name}: {inner}"
                yield from _names(inner, known)
    for inner in get_args(kind):
        yield from _names(inner, known)


def write_layout(folder: Path) -> None:
    """Say in the folder of a decoded file which columns its tables have."""
    (folder / _FILE).write_text(layout(), encoding="ascii")


def has_this_layout(folder: Path) -> bool:
    """Whether the tables in the folder have today's columns."""
    try:
        return (folder / _FILE).read_text(encoding="ascii") == layout()
    except (FileNotFoundError, UnicodeDecodeError):
        return False
