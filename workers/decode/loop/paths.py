"""The tunnel path of the packet being read, and the table of all paths of a capture.

The layers of path 0 hold the packet being read; when it is read its path is looked up and gets its number.
"""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

import numpy as np

from backend.forensics.tunnels import GENEVE, GRE, NVGRE, OTHER, PPPOE, VLAN, VXLAN, VXLAN_GPE
from workers.decode.loop.compiler import compiled
from workers.decode.loop.records import MAX_DEPTH, MAX_PATHS, Record
from workers.decode.loop.tuples import mix

_START = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(32)
_BUCKETS = MAX_PATHS - 1


@compiled
def push(state: Record, layers: Record, kind: int, number: int) -> bool:
    """Adds a layer without addresses; `number` is -1 where the header has none. False when it is too deep."""
    if state.depth >= MAX_DEPTH:
        return False
    layer = layers[state.depth]
    state.depth += 1
    layer.kind = kind
    layer.has_number = number >= 0
    layer.number = max(0, number)
    layer.lower_high = layer.lower_low = np.uint64(0)
    layer.upper_high = layer.upper_low = np.uint64(0)
    return True


@compiled
def push_between(state: Record, layers: Record, kind: int, number: int, row: Record) -> bool:
    """Adds a tunnel between the addresses that the row holds."""
    if not push(state, layers, kind, number):
        return False
    layer = layers[state.depth - 1]
    source_is_lower = row.source_high < row.destination_high or (
        row.source_high == row.destination_high and row.source_low <= row.destination_low
    )
    if source_is_lower:
        layer.lower_high, layer.lower_low = row.source_high, row.source_low
        layer.upper_high, layer.upper_low = row.destination_high, row.destination_low
    else:
        layer.lower_high, layer.lower_low = row.destination_high, row.destination_low
        layer.upper_high, layer.upper_low = row.source_high, row.source_low
    return True


@compiled
def network_of(layers: Record, depth: int) -> int:
    """Hash of what makes equal addresses in two paths different hosts, 0 when nothing does; 32 bits."""
    value = np.uint64(0)
    for i in range(depth):
        layer = layers[i]
        if layer.has_number and layer.kind in (VLAN, VXLAN, VXLAN_GPE, GENEVE, GRE, NVGRE, PPPOE):
            value = mix(value + (np.uint64(layer.kind) << _SHIFT) + np.uint64(layer.number) + _START)
    return np.int64(value >> _SHIFT)


@compiled
def _path_hash(layers: Record, depth: int) -> int:
    value = _START
    for i in range(depth):
        layer = layers[i]
        value = mix(value + (np.uint64(layer.kind) << _SHIFT) + np.uint64(layer.number))
        value = mix(value ^ layer.lower_high ^ mix(layer.lower_low))
        value = mix(value ^ layer.upper_high ^ mix(layer.upper_low))
    return np.int64(value >> _SHIFT)


@compiled
def _same_layer(a: Record, b: Record) -> bool:
    return (
        a.kind == b.kind
        and a.number == b.number
        and a.has_number == b.has_number
        and a.lower_low == b.lower_low
        and a.upper_low == b.upper_low
        and a.lower_high == b.lower_high
        and a.upper_high == b.upper_high
    )


@compiled
def _is_path(layers: Record, number: int, depth: int) -> bool:
    for i in range(depth):  # noqa: SIM110 - a generator allocates
        if not _same_layer(layers[number * MAX_DEPTH + i], layers[i]):
            return False
    return True


@compiled
def _copy_layers(layers: Record, number: int, depth: int) -> None:
    for i in range(depth):
        layer, read = layers[number * MAX_DEPTH + i], layers[i]
        layer.kind, layer.number, layer.has_number = read.kind, read.number, read.has_number
        layer.lower_high, layer.lower_low = read.lower_high, read.lower_low
        layer.upper_high, layer.upper_low = read.upper_high, read.upper_low


@compiled
def path_number(state: Record, layers: Record, paths: Record) -> int:
    """Number of the path in the layers of path 0, made when it is new; sets the state's `network`."""
    depth = np.int64(state.depth)
    if depth == 0 or (depth == 1 and layers[0].kind == VLAN):
        state.network = 0
        return np.int64(0)
    key = _path_hash(layers, depth)
    bucket = key & _BUCKETS
    number = np.int64(paths[bucket].first)
    while number != 0:
        path = paths[number]
        if path.hash == key and path.depth == depth and _is_path(layers, number, depth):
            state.network = np.int64(path.network)
            return number
        number = np.int64(path.next)
    state.network = network_of(layers, depth)
    if state.paths >= MAX_PATHS - 1:  # the last number stands for all further ones
        layers[(MAX_PATHS - 1) * MAX_DEPTH].kind = OTHER
        paths[MAX_PATHS - 1].depth = 1
        return np.int64(MAX_PATHS - 1)
    number = np.int64(state.paths)
    state.paths += 1
    _copy_layers(layers, number, depth)
    path = paths[number]
    path.hash, path.network, path.depth = key, state.network, depth
    path.next = paths[bucket].first
    paths[bucket].first = number
    return number
