"""Tracks: the state of the sides of connections that are in use, given to others when they rest."""

# numba computes with numpy's integers and records, which the annotations call int and Record.
# mypy: disable-error-code="no-any-return,return-value,assignment"

from __future__ import annotations

import numpy as np

from backend.forensics.connections import NEVER
from backend.forensics.packets import NO_WINDOW_SCALE, UNKNOWN_WINDOW_SCALE
from workers.decode.loop.compiler import compiled, entry, together
from workers.decode.loop.copies import forget
from workers.decode.loop.records import ANNOUNCED_ACK, RESTING_ANSWERED, RESTING_KNOWN, Record

_MAX_SHIFT = 14  # RFC 7323 section 2.3


@compiled
def set_shifts(connection: Record, client: Record, server: Record) -> None:
    """Windows are scaled when both SYNs offered it; unknown when one of them was not seen."""
    offers = np.int64(connection.client_window_scale), np.int64(connection.server_window_scale)
    if offers[0] == UNKNOWN_WINDOW_SCALE or offers[1] == UNKNOWN_WINDOW_SCALE:
        return
    scaled = offers[0] != NO_WINDOW_SCALE and offers[1] != NO_WINDOW_SCALE
    client.shift = 1 + (_MAX_SHIFT if offers[0] > _MAX_SHIFT else offers[0]) if scaled else 1
    server.shift = 1 + (_MAX_SHIFT if offers[1] > _MAX_SHIFT else offers[1]) if scaled else 1


@compiled
def _wake_side(side: Record, known: int, highest: int, answered: int, acked: int) -> None:
    if known:
        side.known = 1
        side.first = side.highest = highest
    if answered:
        side.announced = ANNOUNCED_ACK
        side.acked = acked


@compiled
def _wake(connection: Record, client: Record, server: Record) -> None:
    """A fresh track's sides, with what was kept of an earlier one."""
    set_shifts(connection, client, server)
    client.mss, server.mss = connection.client_mss, connection.server_mss
    kept = np.int64(connection.resting)
    if kept == 0:
        return
    nexts = np.int64(connection.client_next), np.int64(connection.server_next)
    _wake_side(client, kept & RESTING_KNOWN, nexts[0], kept & (2 * RESTING_ANSWERED), nexts[1])
    _wake_side(server, kept & (2 * RESTING_KNOWN), nexts[1], kept & RESTING_ANSWERED, nexts[0])


@compiled
def track_of(state: Record, connections: Record, number: int, sides: Record) -> int:
    """The number of the connection's track; it gets one when it has none. There is room for it."""
    together()
    connection = connections[number]
    if connection.track != 0:
        return np.int64(connection.track) - 1
    if state.free_track != 0:
        track = np.int64(state.free_track) - 1
        state.free_track = sides[2 * track].owner
    else:
        track = np.int64(state.tracks)
        state.tracks += 1
    connection.track = track + 1
    sides[2 * track].owner = number + 1
    _wake(connection, sides[2 * track], sides[2 * track + 1])
    return track


@compiled
def _clear(side: Record) -> None:
    side.skipped_ns = side.acked_ns = 0
    side.highest = side.first = side.hole_left = side.hole_right = side.recover = 0
    side.acked = side.window = 0
    side.mss = 0
    side.known = side.announced = side.shift = side.duplicate_acks = 0
    side.recovering = side.probing = side.probed = side.answered = 0
    side.full = side.newest_edge = side.edges_kept = 0
    side.owner = 0


@compiled
def _rest(state: Record, connection: Record, track: int, sides: Record, prints: Record) -> None:
    """Keeps what a later packet must be compared with, and frees the track."""
    client, server = sides[2 * track], sides[2 * track + 1]
    kept = 0
    if client.known:
        kept |= RESTING_KNOWN
        if server.announced & ANNOUNCED_ACK and server.acked == client.highest:
            kept |= RESTING_ANSWERED
    if server.known:
        kept |= 2 * RESTING_KNOWN
        if client.announced & ANNOUNCED_ACK and client.acked == server.highest:
            kept |= 2 * RESTING_ANSWERED
    connection.resting = kept
    connection.client_next, connection.server_next = client.highest, server.highest
    connection.track = 0
    _clear(client)
    _clear(server)
    forget(prints, 2 * track)
    forget(prints, 2 * track + 1)
    client.owner = state.free_track
    state.free_track = track + 1


@entry
def rest_idle(
    states: Record, connections: Record, sides: Record, prints: Record, now_ns: int, linger_ns: int,
    idle_ns: int,
) -> None:  # fmt: skip
    """Frees the tracks of connections closed for `linger_ns` or silent for `idle_ns`; the state's `detail` says
    how many."""
    state = states[0]
    freed = 0
    for track in range(state.tracks):
        owner = np.int64(sides[2 * track].owner)
        if owner == 0 or owner > state.connections:
            continue
        connection = connections[owner - 1]
        if np.int64(connection.track) != track + 1:
            continue  # a free track: its owner is the next of the chain
        quiet_ns = now_ns - connection.last_ns
        if quiet_ns > idle_ns or (connection.closed_ns != NEVER and quiet_ns > linger_ns):
            _rest(state, connection, track, sides, prints)
            freed += 1
    state.detail = freed
