"""Where a stream of messages stands: waiting for one, lost after a hole, or not to be read at all."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

import numpy as np

from workers.decode.loop.compiler import apart, compiled, inlined
from workers.decode.loop.message_records import IDLE, LINE, OPAQUE, Memory
from workers.decode.messages.exchanges import cut_message, end_message
from workers.decode.messages.rows import free_scratch, new_scratch


@compiled
def lose(m: Memory, stream: int, seen_to: int = -1) -> None:
    """Where the next message begins is not known any more: the next segment that begins like one shows."""
    apart()
    record = m.streams[stream]
    if record.mode in (IDLE, OPAQUE):
        return
    cut_message(m, stream, seen_to)
    free_scratch(m, stream)
    m.talks[stream // 2].unsure = 1
    record.mode = IDLE


@compiled
def await_message(m: Memory, stream: int) -> None:
    """The next byte is the first of a message."""
    apart()
    record = m.streams[stream]
    free_scratch(m, stream)
    record.mode, record.exchange, record.scan = LINE, 0, 0
    record.lines = record.bytes = record.left = record.look_left = 0
    record.length = -1
    record.chunked = record.bad_length = 0


@compiled
def close_message(m: Memory, stream: int) -> None:
    """The last byte of a message was seen."""
    end_message(m, stream)
    await_message(m, stream)


@compiled
def claim_scratch(m: Memory, stream: int) -> None:
    """Gives the stream a scratch; where none is free, a stream whose turn it is loses its own."""
    apart()
    record, state = m.streams[stream], m.states[0]
    if record.scratch > 0:
        return
    record.scratch = new_scratch(m, stream)
    if record.scratch == 0:
        victim = np.int64(m.owners[state.hand_scratch])
        state.hand_scratch = (state.hand_scratch + 1) % m.owners.size
        state.forgotten += 1
        m.streams[victim].mode = LINE  # whatever it was, it waits for a message's beginning now
        lose(m, victim)
        record.scratch = new_scratch(m, stream)


@inlined
def be_opaque(m: Memory, stream: int) -> None:
    """Both directions carry something else from now on: a tunnel, a WebSocket."""
    talk = stream // 2
    for other in (2 * talk, 2 * talk + 1):
        free_scratch(m, other)
        m.streams[other].mode = OPAQUE
        m.streams[other].exchange = 0
