"""Samples in 24 bytes each, and back: a capture of 10 M packets has 5 M of them, and writing them is what they cost.

Addresses, ports and vantage point are those of the sample's connection; time and frame of the answer count from the
sample before. What does not fit, and what has no connection, is kept whole beside them."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

from typing import Final

import numpy as np

from backend.forensics.packets import NO_CONNECTION, TCP
from backend.forensics.round_trips import ROUND_TRIP_DTYPE
from workers.decode.loop.compiler import compiled, entry
from workers.decode.loop.records import BATCH_ROWS, Record

PACKED_DTYPE: Final = np.dtype(
    [
        ("later_ns", "<u4"),  # the answer, after the answer of the sample before
        ("rtt_ns", "<u4"),
        ("connection", "<u4"),
        ("sequence", "<u4"),
        ("frames", "<u4"),  # between question and answer << 10 | from the answer before to this one
        (
            "packed_kind",
            "<u4",
        ),  # recent_bytes << 4 | kind << 1 | from_client; 0: it is the next of the whole ones
    ]
)
PACKING_FIELDS: Final = (
    ("samples", "<i8"),
    ("wholes", "<i8"),
    ("latest_ns", "<i8"),  # of the sample before: its answer's time and frame
    ("latest_frame", "<i8"),
    ("rows", PACKED_DTYPE, (BATCH_ROWS,)),
    ("whole", ROUND_TRIP_DTYPE, (BATCH_ROWS,)),
)
"""What packing needs of the record that it works on."""
CHAIN_DTYPE: Final = np.dtype([("latest_ns", "<i8"), ("latest_frame", "<i8")])

_LATER_BITS: Final = 10
_MOST_LATER: Final = (1 << _LATER_BITS) - 1
_MOST_BETWEEN: Final = (1 << (32 - _LATER_BITS)) - 1
_MOST_NS: Final = 0xFFFFFFFF
_MOST_RECENT: Final = (1 << 28) - 1


@compiled
def _add_whole(
    s: Record, row: Record, sent_ns: int, frame: int, recent: int, kind: int, begin: int, from_client: int
) -> None:
    whole = s.whole[s.wholes]
    s.wholes += 1
    whole.sent_ns, whole.rtt_ns = sent_ns, row.time_ns - sent_ns
    whole.sent_frame, whole.answer_frame = frame, row.frame
    whole.prober_high, whole.prober_low = row.destination_high, row.destination_low
    whole.responder_high, whole.responder_low = row.source_high, row.source_low
    whole.vantage, whole.connection = row.vantage, row.connection
    whole.recent_bytes, whole.kind = recent, kind
    whole.prober_port = row.destination_port if row.protocol == TCP else 0
    whole.responder_port = row.source_port if row.protocol == TCP else 0
    whole.sequence, whole.from_client = begin, from_client


@compiled
def add_sample(
    s: Record, row: Record, sent_ns: int, frame: int, recent: int, kind: int, begin: int, from_client: int
) -> None:
    """The sample that `row` answers; not when the clock went back in between. `s` has PACKING_FIELDS, and room."""
    rtt_ns = np.int64(row.time_ns) - sent_ns
    if rtt_ns < 0:
        return
    later_ns, later = np.int64(row.time_ns) - s.latest_ns, np.int64(row.frame) - s.latest_frame
    between = np.int64(row.frame) - np.int64(frame)
    s.latest_ns, s.latest_frame = row.time_ns, np.int64(row.frame)
    packed = s.rows[s.samples]
    s.samples += 1
    packed.packed_kind = 0
    if (
        0 <= later_ns <= _MOST_NS and rtt_ns <= _MOST_NS and later <= _MOST_LATER and recent <= _MOST_RECENT
        and between <= _MOST_BETWEEN and row.connection != NO_CONNECTION
    ):  # fmt: skip
        packed.later_ns, packed.rtt_ns = later_ns, rtt_ns
        packed.connection, packed.sequence = row.connection, begin
        packed.frames = between << _LATER_BITS | later
        packed.packed_kind = np.int64(recent) << 4 | np.int64(kind) << 1 | np.int64(from_client)
        return
    _add_whole(s, row, sent_ns, frame, recent, kind, begin, from_client)


@compiled
def _set_ends(sample: Record, connection: Record, from_client: int) -> None:
    sample.vantage = connection.vantage
    if from_client:
        sample.prober_high, sample.prober_low = connection.client_high, connection.client_low
        sample.responder_high, sample.responder_low = connection.server_high, connection.server_low
        sample.prober_port, sample.responder_port = connection.client_port, connection.server_port
    else:
        sample.prober_high, sample.prober_low = connection.server_high, connection.server_low
        sample.responder_high, sample.responder_low = connection.client_high, connection.client_low
        sample.prober_port, sample.responder_port = connection.server_port, connection.client_port


@compiled
def _set(sample: Record, packed: Record, connection: Record, answered_ns: int, answer_frame: int) -> None:
    packed_kind = np.int64(packed.packed_kind)
    from_client = packed_kind & 1
    sample.sent_ns, sample.rtt_ns = answered_ns - np.int64(packed.rtt_ns), packed.rtt_ns
    sample.sent_frame = answer_frame - (np.int64(packed.frames) >> _LATER_BITS)
    sample.answer_frame = answer_frame
    sample.connection, sample.sequence = packed.connection, packed.sequence
    sample.recent_bytes, sample.kind, sample.from_client = (
        packed_kind >> 4,
        (packed_kind >> 1) & 7,
        from_client,
    )
    _set_ends(sample, connection, from_client)


@compiled
def _copy(sample: Record, whole: Record) -> None:
    sample.sent_ns, sample.rtt_ns = whole.sent_ns, whole.rtt_ns
    sample.sent_frame, sample.answer_frame = whole.sent_frame, whole.answer_frame
    sample.prober_high, sample.prober_low = whole.prober_high, whole.prober_low
    sample.responder_high, sample.responder_low = whole.responder_high, whole.responder_low
    sample.vantage, sample.connection = whole.vantage, whole.connection
    sample.sequence, sample.recent_bytes = whole.sequence, whole.recent_bytes
    sample.prober_port, sample.responder_port = whole.prober_port, whole.responder_port
    sample.kind, sample.from_client = whole.kind, whole.from_client


@entry
def unpack_samples(
    chains: Record, packed: Record, whole: Record, connections: Record, samples: Record
) -> None:
    """Fills `samples` (ROUND_TRIP_DTYPE, as many as `packed`). `whole` holds those kept whole in this part, in order;
    `chains` (one CHAIN_DTYPE, zero at the first part) goes from part to part."""
    chain = chains[0]
    wholes = 0
    for i in range(packed.size):
        each = packed[i]
        if each.packed_kind == 0:
            _copy(samples[i], whole[wholes])
            chain.latest_ns = whole[wholes].sent_ns + whole[wholes].rtt_ns
            chain.latest_frame = np.int64(whole[wholes].answer_frame)
            wholes += 1
        else:
            chain.latest_ns += np.int64(each.later_ns)
            chain.latest_frame += np.int64(each.frames) & _MOST_LATER
            _set(samples[i], each, connections[each.connection], chain.latest_ns, chain.latest_frame)
