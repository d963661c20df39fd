"""One captured packet: headers, vantage point, connection, bucket."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

from typing import Final

from backend.forensics.packets import CHECKSUM_WRONG_OR_PARTIAL, DECODED_TRANSPORT, NO_CONNECTION, TCP, UDP
from workers.decode.loop.compiler import apart, compiled, inlined, together
from workers.decode.loop.credential_signs import (
    LOOKED_AT_BYTES,
    holds_credential_word,
    is_metadata_address,
)
from workers.decode.loop.fragments import remember_first
from workers.decode.loop.headers import read_headers, read_plain_tcp
from workers.decode.loop.link import kernel_interface
from workers.decode.loop.neighbors import read_arp
from workers.decode.loop.note_checksums import note_checksums
from workers.decode.loop.notice import notice
from workers.decode.loop.octets import Buffer
from workers.decode.loop.paths import path_number
from workers.decode.loop.records import Record
from workers.decode.loop.tally import count_arrival, count_bucket, vantage_of
from workers.decode.loop.tracker import track
from workers.decode.loop.transport import is_icmp_error
from workers.decode.round_trips.sampling import sample
from workers.decode.signals.picking import pick


@inlined
def _follow(
    buffer: Buffer, end: int, state: Record, rows: Record, slots: Record, connections: Record, sides: Record,
    prints: Record, undecoded: Record, fragments: Record, memory: Record,
) -> bool:  # fmt: skip
    """Puts a packet with a transport header where it belongs; whether it is one of the handshake rows."""
    row = rows[state.rows]
    if row.protocol in (TCP, UDP):
        is_handshake = track(state, slots, connections, sides, prints, row)
    else:
        is_handshake = is_icmp_error(row)
    notice(memory, buffer, end, state, rows, slots, connections)
    if state.fragment >= 0:
        remember_first(state, fragments, rows, connections, sides, undecoded)
    return is_handshake


_COULD_HOLD: Final = 48
"""Bytes: a shorter frame has no room for headers and a secret."""


@compiled
def _may_hold_credentials(buffer: Buffer, at: int, end: int, row: Record) -> bool:
    """Whether it is a later fragment of a metadata service, or words of credentials are in it."""
    apart()
    if end - at < _COULD_HOLD or (row.layers == DECODED_TRANSPORT and not is_icmp_error(row)):
        return False
    if row.protocol == TCP and (
        is_metadata_address(row.source_high, row.source_low)
        or is_metadata_address(row.destination_high, row.destination_low)
    ):
        return True
    return holds_credential_word(buffer, at, min(end, at + LOOKED_AT_BYTES))


@compiled
def _look_at_rest(buffer: Buffer, at: int, end: int, state: Record, connections: Record, row: Record) -> None:
    """For credentials, in what no message is read from: frames of no connection, and later fragments."""
    together()
    if row.layers == DECODED_TRANSPORT and row.connection != NO_CONNECTION:
        return
    if _may_hold_credentials(buffer, at, end, row):
        if row.connection == NO_CONNECTION:
            state.loose_credentials += 1
        else:
            connections[row.connection].credentials = 1


@compiled
def _read_less_usual(
    buffer: Buffer, at: int, end: int, interface: Record, state: Record, layers: Record, fragments: Record,
    heads: Buffer, connections: Record, sides: Record, undecoded: Record, memory: Record, row: Record,
) -> None:  # fmt: skip
    """What is no plain TCP packet: tunnels, fragments, UDP, ARP."""
    read_headers(
        buffer, at, end, interface, state, layers, fragments, heads, connections, sides, undecoded, row
    )
    if state.arp >= 0:
        read_arp(memory[0], buffer, state.arp, end, row)


@compiled
def read_packet(
    buffer: Buffer, at: int, end: int, time_ns: int, original: int,
    state: Record, interface: Record, vantages: Record, rows: Record, picked: Record, slots: Record,
    connections: Record, sides: Record, prints: Record, buckets: Record, undecoded: Record,
    layers: Record, paths: Record, fragments: Record, heads: Buffer, memory: Record,
    sampler: Record, picker: Record,
) -> None:  # fmt: skip
    """Appends the packet in buffer[at:end] to the tables. Each table has room for it."""
    together()
    row = rows[state.rows]
    state.frame += 1
    row.frame = state.frame
    row.time_ns = state.latest_ns = time_ns
    row.captured_bytes, row.original_bytes = end - at, original
    row.connection = NO_CONNECTION
    row.vantage = vantage_of(state, vantages, interface, kernel_interface(buffer, at, end, interface.link))
    if not read_plain_tcp(buffer, at, end, interface.link, state, layers, row):
        _read_less_usual(
            buffer, at, end, interface, state, layers, fragments, heads, connections, sides, undecoded,
            memory, row,
        )  # fmt: skip
    state.network = 0
    if state.depth > 0:
        row.tunnel = path_number(state, layers, paths)
    vantage = vantages[row.vantage]
    count_arrival(vantage, time_ns)
    is_handshake = False
    if row.layers == DECODED_TRANSPORT:
        is_handshake = _follow(
            buffer, end, state, rows, slots, connections, sides, prints, undecoded, fragments, memory[0]
        )
        if row.protocol == TCP:
            pick(picker, row, state.side)
    if row.checksums & CHECKSUM_WRONG_OR_PARTIAL:
        note_checksums(memory[0], row, connections)
    _look_at_rest(buffer, at, end, state, connections, row)
    sample(sampler, row, state.side, state.known_pair)
    count_bucket(state, vantage, buckets, row)
    if is_handshake:
        picked[state.picked] = state.rows
        state.picked += 1
    state.rows += 1
