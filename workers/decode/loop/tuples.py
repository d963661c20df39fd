"""The hash table from a 5-tuple at a vantage point to its latest connection."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

import numpy as np

from workers.decode.loop.compiler import compiled, entry, together
from workers.decode.loop.records import Record

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_MULTIPLIER_2 = np.uint64(0xD6E8FEB86659FD93)
_SHIFT = np.uint64(32)


@compiled
def mix(value: int) -> int:
    """Spreads the bits of a uint64."""
    together()
    value = (value ^ (value >> _SHIFT)) * _MULTIPLIER_2
    value = (value ^ (value >> _SHIFT)) * _MULTIPLIER
    return value ^ (value >> _SHIFT)


@compiled
def _endpoint(high: int, low: int, port: int) -> int:
    together()
    return mix(np.uint64(high) * _MULTIPLIER + np.uint64(low) * _MULTIPLIER_2 + np.uint64(port))


@compiled
def ends_hash(
    source_high: int, source_low: int, source_port: int, destination_high: int, destination_low: int,
    destination_port: int, vantage: int, vlan: int, network: int, protocol: int,
) -> int:  # fmt: skip
    """32 bits, the same for both directions."""
    together()
    source = _endpoint(source_high, source_low, source_port)
    destination = _endpoint(destination_high, destination_low, destination_port)
    place = (np.uint64(vantage) << np.uint64(24)) | (np.uint64(vlan) << np.uint64(8))
    place ^= np.uint64(network) << np.uint64(32)
    return np.int64(mix(source + destination + (place | np.uint64(protocol))) >> _SHIFT)


@compiled
def tuple_hash(row: Record, network: int) -> int:
    """The hash of a packet's tuple."""
    together()
    return ends_hash(
        row.source_high, row.source_low, row.source_port, row.destination_high, row.destination_low,
        row.destination_port, row.vantage, row.vlan, network, row.protocol,
    )  # fmt: skip


@compiled
def _same_place(connection: Record, row: Record, network: int) -> bool:
    together()
    return (
        connection.vantage == row.vantage
        and connection.vlan == row.vlan
        and connection.network == network
        and connection.protocol == row.protocol
    )


@compiled
def _client_is_source(connection: Record, row: Record) -> bool:
    together()
    return (
        connection.client_low == row.source_low
        and connection.client_port == row.source_port
        and connection.server_low == row.destination_low
        and connection.server_port == row.destination_port
        and connection.client_high == row.source_high
        and connection.server_high == row.destination_high
    )


@compiled
def _server_is_source(connection: Record, row: Record) -> bool:
    return (
        connection.server_low == row.source_low
        and connection.server_port == row.source_port
        and connection.client_low == row.destination_low
        and connection.client_port == row.destination_port
        and connection.server_high == row.source_high
        and connection.client_high == row.destination_high
    )


@compiled
def find_slot(slots: Record, connections: Record, row: Record, network: int, key: int) -> tuple[int, int]:
    """(slot, 0 when the connection's client sent this packet, 1 for its server, -1 when the slot is free)."""
    mask = slots.size - 1
    at = key & mask
    while slots[at].connection != 0:
        if slots[at].hash == key:
            connection = connections[np.int64(slots[at].connection) - 1]
            if _same_place(connection, row, network):
                if _client_is_source(connection, row):
                    return at, 0
                if _server_is_source(connection, row):
                    return at, 1
        at = (at + 1) & mask
    return at, -1


@entry
def rehash(old: Record, new: Record) -> None:
    """Moves all slots into a larger table (sizes are powers of two)."""
    mask = new.size - 1
    for i in range(old.size):
        if old[i].connection != 0:
            at = np.int64(old[i].hash) & mask
            while new[at].connection != 0:
                at = (at + 1) & mask
            new[at].hash = old[i].hash
            new[at].connection = old[i].connection
