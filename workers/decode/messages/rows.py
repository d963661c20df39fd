"""Filled rows and their texts; the bounded pools that messages are put together in."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

import numpy as np

from workers.decode.loop.compiler import apart, compiled
from workers.decode.loop.message_records import (
    BATCH,
    EXCHANGE_TEXT_BYTES,
    HTTP_TEXTS,
    LINE_BYTES,
    RESERVE,
    SCRATCH_BYTES,
    STASHES,
    TAIL_BYTES,
    TEXT_LIMITS,
    TEXT_PLACES,
    Memory,
)
from workers.decode.loop.octets import Buffer
from workers.decode.messages.text import printable


@compiled
def out_of_room(used: int) -> bool:
    """Whether a table must be emptied before the next step; notes it."""
    return used + RESERVE > BATCH


@compiled
def put_row_text(m: Memory, column: int, row: int, buffer: Buffer, at: int, length: int) -> None:
    """Sets the text of a filled row; to be called for each text column of each row, in order."""
    apart()
    base = BATCH * TEXT_PLACES[column]
    place = np.int64(m.offsets[column, row])
    count = min(length, TEXT_LIMITS[column])
    for i in range(count):
        m.arena[base + place + i] = printable(buffer[at + i])
    m.offsets[column, row + 1] = place + count


@compiled
def put_text(m: Memory, exchange: int, column: int, buffer: Buffer, at: int, end: int) -> None:
    """Sets a text of an open exchange; a second value of the same header does not replace the first."""
    apart()
    if m.lengths[exchange, column] > 0:
        return
    base = exchange * EXCHANGE_TEXT_BYTES + TEXT_PLACES[column]
    count = min(end - at, TEXT_LIMITS[column])
    for i in range(count):
        m.texts[base + i] = printable(buffer[at + i])
    m.lengths[exchange, column] = count


@compiled
def put_http_row(m: Memory, exchange: int) -> None:
    """Copies an exchange to the filled rows."""
    apart()
    state = m.states[0]
    row = state.http
    m.http[row] = m.exchanges[exchange]
    for column in range(HTTP_TEXTS):
        at = exchange * EXCHANGE_TEXT_BYTES + TEXT_PLACES[column]
        put_row_text(m, column, row, m.texts, at, m.lengths[exchange, column])
    state.http += 1


@compiled
def new_scratch(m: Memory, stream: int) -> int:
    """A free scratch + 1, or 0."""
    state = m.states[0]
    found = state.free_scratch
    if found > 0:
        state.free_scratch = m.owners[found - 1]
    elif state.used_scratches < m.owners.size:
        state.used_scratches += 1
        found = state.used_scratches
    else:
        return 0
    m.owners[found - 1] = stream
    return np.int64(found)


@compiled
def free_scratch(m: Memory, stream: int) -> None:
    """Gives the stream's scratch back."""
    apart()
    record = m.streams[stream]
    if record.scratch == 0:
        return
    state = m.states[0]
    m.owners[record.scratch - 1] = state.free_scratch
    state.free_scratch = record.scratch
    record.scratch = 0
    record.kept = 0


@compiled
def keep(m: Memory, stream: int, buffer: Buffer, at: int, end: int) -> None:
    """Adds bytes to the unfinished line. Of a long one the first and the last bytes are kept."""
    apart()
    record = m.streams[stream]
    base = (record.scratch - 1) * SCRATCH_BYTES
    kept: int = np.int64(record.kept)
    room: int = max(0, LINE_BYTES - kept)
    for i in range(at, min(end, at + room)):
        m.scratch[base + kept + i - at] = buffer[i]
    for i in range(max(at, end - TAIL_BYTES), end):
        m.scratch[base + LINE_BYTES + (kept + i - at) % TAIL_BYTES] = buffer[i]
    record.kept = kept + end - at


@compiled
def joined_line(m: Memory, stream: int) -> tuple[int, int]:
    """(first byte, end) of the kept line in the scratch memory; a long one lacks its middle."""
    apart()
    record = m.streams[stream]
    base = (record.scratch - 1) * SCRATCH_BYTES
    kept = np.int64(record.kept)
    if kept <= LINE_BYTES:
        return base, base + kept
    for i in range(TAIL_BYTES):
        at = kept - TAIL_BYTES + i
        m.scratch[base + LINE_BYTES - TAIL_BYTES + i] = m.scratch[base + LINE_BYTES + at % TAIL_BYTES]
    return base, base + LINE_BYTES


@compiled
def new_stash(m: Memory) -> int:
    """A free stash + 1, or 0."""
    state = m.states[0]
    found = state.free_stash
    if found > 0:
        state.free_stash = m.stashes[found - 1].next
    elif state.used_stashes < STASHES:
        state.used_stashes += 1
        found = state.used_stashes
    return np.int64(found)


@compiled
def free_stash(m: Memory, stash: int) -> None:
    """Gives a stash (its number + 1) back."""
    state = m.states[0]
    m.stashes[stash - 1].next = state.free_stash
    state.free_stash = stash
