"""A connection that goes on over the end of a part is one connection."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from backend.forensics.connections import CONNECTION_DTYPE, COUNT_LIMIT, NEVER
from backend.forensics.packets import NO_CONNECTION, TCP, UDP, UNKNOWN_WINDOW_SCALE
from backend.forensics.rotation.joined_connections import UDP_IDLE_NS, join_connections

CLIENT, SERVER = {"high": 0, "low": 10, "port": 40000}, {"high": 0, "low": 20, "port": 80}
_NEVER = ("syn_ns", "syn_frame", "syn_ack_ns", "syn_ack_frame", "established_ns", "closed_ns", "reset_frame")


def row(first_ns: int, last_ns: int, *, turned: bool = False, **columns: Any) -> NDArray[np.void]:
    made = np.zeros(1, CONNECTION_DTYPE)
    for name in _NEVER:
        made[name] = NEVER
    ends = (SERVER, CLIENT) if turned else (CLIENT, SERVER)
    for side, end in zip(("client", "server"), ends, strict=True):
        made[f"{side}_window_scale"] = UNKNOWN_WINDOW_SCALE
        for name, value in end.items():
            made[f"{side}_{name}"] = value
    made["protocol"], made["first_ns"], made["last_ns"] = TCP, first_ns, last_ns
    for name, value in columns.items():
        made[name] = value
    return made


def opened(first_ns: int = 0, **columns: Any) -> NDArray[np.void]:
    return row(first_ns, first_ns, syn_ns=first_ns, syn_frame=1, syns=1, isn=7, client_packets=1, **columns)


def test_a_syn_is_answered_in_the_next_part() -> None:
    answer = row(5, 9, syn_ack_ns=5, syn_ack_frame=2, syn_acks=1, established_ns=8, server_packets=1)
    table = join_connections([opened(), answer]).table
    assert len(table) == 1
    told = ["syn_ns", "syn_ack_ns", "established_ns", "isn", "first_ns", "last_ns", "syns"]
    assert table[told].tolist() == [(0, 5, 8, 7, 0, 9, 1)]


def test_the_ack_of_the_handshake_comes_in_the_next_part() -> None:
    first = opened(syn_ack_ns=1, syn_acks=1)
    assert join_connections([first, row(5, 9, client_packets=1)]).table["established_ns"] == [5]
    assert join_connections([first, row(5, 9, server_packets=1)]).table["established_ns"] == [NEVER]


def test_each_side_says_goodbye_in_its_own_part() -> None:
    first = opened(fins=1)
    assert join_connections([first, row(5, 9, fins=2)]).table["closed_ns"] == [9]
    assert join_connections([first, row(5, 9, fins=1)]).table["closed_ns"] == [NEVER]


@pytest.mark.parametrize(("isn", "connections"), [(7, 1), (8, 2)])
def test_a_syn_sent_again_goes_on_and_a_new_one_begins(isn: int, connections: int) -> None:
    again = row(9, 9, syn_ns=9, syns=1, isn=isn)
    joined = join_connections([opened(), again])
    assert len(joined.table) == connections
    assert joined.table["syns"].sum() == 2


def test_the_isn_is_remembered_over_a_part_without_a_syn() -> None:
    again = row(9, 9, syn_ns=9, syns=1, isn=7)
    assert len(join_connections([opened(), row(5, 6), again]).table) == 1


def test_two_connections_of_one_part_stay_two() -> None:
    second = np.concatenate([row(5, 6), row(7, 8, syn_ns=7, syns=1, isn=9)])
    joined = join_connections([opened(), second, row(20, 21)])
    assert joined.number.tolist() == [0, 0, 1, 1]
    assert joined.table["last_ns"].tolist() == [6, 21]


@pytest.mark.parametrize(("idle_ns", "flows"), [(UDP_IDLE_NS, 1), (UDP_IDLE_NS + 1, 2)])
def test_an_idle_udp_flow_begins_anew(idle_ns: int, flows: int) -> None:
    first = row(0, 0, protocol=UDP)
    assert len(join_connections([first, row(idle_ns, idle_ns, protocol=UDP)]).table) == flows


def test_ends_taken_for_one_another_are_exchanged() -> None:
    second = row(5, 9, turned=True, client_bytes=100, server_bytes=3, resets=1, fins=2)
    joined = join_connections([opened(client_bytes=1), second])
    assert joined.table[["client_bytes", "server_bytes", "resets", "fins"]].tolist() == [(4, 100, 2, 1)]
    numbers, swapped = joined.of_part(1, np.array([0, NO_CONNECTION], np.uint32))
    assert numbers.tolist() == [0, NO_CONNECTION]
    assert swapped.tolist() == [True, False]


@pytest.mark.parametrize("other", [{"vantage": 1}, {"network": 4}, {"protocol": UDP}, {"client_port": 40001}])
def test_another_tuple_is_another_connection(other: dict[str, Any]) -> None:
    assert len(join_connections([opened(), row(5, 9)]).table) == 1
    assert len(join_connections([opened(), row(5, 9, **other)]).table) == 2


def test_small_counters_stop_at_their_limit() -> None:
    parts = [opened(keep_alives=COUNT_LIMIT - 1), row(5, 9, keep_alives=2)]
    assert join_connections(parts).table["keep_alives"] == [COUNT_LIMIT]


def test_no_connections_are_no_connections() -> None:
    assert len(join_connections([np.zeros(0, CONNECTION_DTYPE)] * 2).table) == 0
