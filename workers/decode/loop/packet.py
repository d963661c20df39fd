"""One captured packet: headers, vantage point, connection, bucket."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

from backend.forensics.packets import (
    DECODED_LINK,
    DECODED_NETWORK,
    DECODED_TRANSPORT,
    NO_CONNECTION,
    TCP,
    UDP,
)
from workers.decode.loop.compiler import compiled
from workers.decode.loop.link import IPV4, IPV6, kernel_interface, network_header
from workers.decode.loop.network import transport_header
from workers.decode.loop.octets import Buffer
from workers.decode.loop.records import CUT_TRANSPORT, LINK_UNKNOWN, PROTOCOL_BASE, Record
from workers.decode.loop.tally import count_arrival, count_bucket, vantage_of
from workers.decode.loop.tracker import track
from workers.decode.loop.transport import is_icmp_error, read_transport

_NO_IP = 255


@compiled
def _read_transport(buffer: Buffer, at: int, end: int, length: int, row: Record, undecoded: Record) -> None:
    read = read_transport(buffer, at, end, length, row)
    if read == 1:
        row.layers = DECODED_TRANSPORT
    elif read == 0:
        undecoded[CUT_TRANSPORT] += 1
    else:
        undecoded[PROTOCOL_BASE + row.protocol] += 1


@compiled
def _read_headers(
    buffer: Buffer, at: int, end: int, interface: Record, row: Record, undecoded: Record
) -> None:
    """Fills the row as far as the headers can be read; counts what stopped it."""
    row.protocol = _NO_IP
    if interface.link == LINK_UNKNOWN:
        interface.undecoded += 1
        return
    ether_type, network_at = network_header(buffer, at, end, interface.link, row)
    row.layers = DECODED_LINK
    if ether_type not in (IPV4, IPV6):
        undecoded[ether_type] += 1
        return
    wire_length = row.original_bytes - (network_at - at)
    transport_at, length = transport_header(buffer, network_at, end, ether_type, wire_length, row)
    if row.ip_version != 0:
        row.layers = DECODED_NETWORK
    if transport_at < 0:
        undecoded[-transport_at] += 1
        return
    _read_transport(buffer, transport_at, end, length, row, undecoded)


@compiled
def read_packet(
    buffer: Buffer, at: int, end: int, time_ns: int, original: int,
    state: Record, interface: Record, vantages: Record, rows: Record, picked: Record, slots: Record,
    connections: Record, sides: Record, prints: Record, buckets: Record, undecoded: Record,
) -> None:  # fmt: skip
    """Appends the packet in buffer[at:end] to the tables. Each table has room for it."""
    row = rows[state.rows]
    state.frame += 1
    row.frame = state.frame
    row.time_ns = state.latest_ns = time_ns
    row.captured_bytes = end - at
    row.original_bytes = original
    row.connection = NO_CONNECTION
    index = kernel_interface(buffer, at, end, interface.link)
    row.vantage = vantage_of(state, vantages, interface, index)
    _read_headers(buffer, at, end, interface, row, undecoded)
    vantage = vantages[row.vantage]
    count_arrival(vantage, time_ns)
    is_handshake = False
    if row.layers == DECODED_TRANSPORT:
        if row.protocol in (TCP, UDP):
            is_handshake = track(state, slots, connections, sides, prints, row)
        else:
            is_handshake = is_icmp_error(row)
    count_bucket(state, vantage, buckets, row)
    if is_handshake:
        picked[state.picked] = state.rows
        state.picked += 1
    state.rows += 1
