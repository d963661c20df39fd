"""Counts packets whose checksum is wrong or was left to a network card, and keeps the wrong ones."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

from typing import Final

from backend.forensics.connections import COUNT_LIMIT
from backend.forensics.messages import WRONG_CHECKSUMS, WRONG_CHECKSUMS_IN_ALL
from backend.forensics.packets import CHECKSUM_PARTIAL, CHECKSUM_WRONG_OR_PARTIAL, NO_CONNECTION
from workers.decode.loop.compiler import apart, compiled
from workers.decode.loop.message_records import Memory
from workers.decode.loop.records import Record

_RIGHT_BITS: Final = CHECKSUM_WRONG_OR_PARTIAL >> 1
"""The bit by which PARTIAL differs from WRONG, of all four."""
assert CHECKSUM_PARTIAL & 1


@compiled
def _keep(m: Memory, row: Record) -> None:
    state = m.states[0]
    if state.noted_checksums >= WRONG_CHECKSUMS_IN_ALL:
        return
    state.noted_checksums += 1
    kept = m.wrong_checksums[state.wrong_checksums]
    state.wrong_checksums += 1
    kept.frame, kept.time_ns, kept.vantage, kept.connection = (
        row.frame,
        row.time_ns,
        row.vantage,
        row.connection,
    )
    kept.source_high, kept.source_low = row.source_high, row.source_low
    kept.destination_high, kept.destination_low = row.destination_high, row.destination_low
    kept.source_port, kept.destination_port = row.source_port, row.destination_port
    kept.protocol, kept.ip_id, kept.sequence = row.protocol, row.ip_id, row.sequence
    kept.payload_bytes, kept.checksums = row.payload_bytes, row.checksums


@compiled
def note_checksums(m: Memory, row: Record, connections: Record) -> None:
    """Notes a packet with a checksum that is wrong or partial."""
    apart()
    two = row.checksums & CHECKSUM_WRONG_OR_PARTIAL
    is_wrong = two & ~((row.checksums & _RIGHT_BITS) << 1) != 0
    is_kept = is_wrong
    if row.connection != NO_CONNECTION:
        connection = connections[row.connection]
        if not is_wrong:
            connection.partial_checksums = min(COUNT_LIMIT, connection.partial_checksums + 1)
        else:
            is_kept = connection.wrong_checksums < WRONG_CHECKSUMS
            connection.wrong_checksums = min(COUNT_LIMIT, connection.wrong_checksums + 1)
    if is_kept:
        _keep(m, row)
