"""Neighbor entries that another host contradicts, and tables at their limit."""

from __future__ import annotations

import pytest

from backend.forensics.diagnosis.causes.tests.build_losses import OTHER_HOST, SERVER, Losses, report
from backend.forensics.diagnosis.causes.tests.dump_cases import (
    OVERFLOW,
    confidence,
    entry,
    log,
    neighbors,
    owner,
    settings,
)
from backend.forensics.packets import ACK, SYN
from backend.forensics.tests.build_capture import MS, S

STALE, FULL = "stale-neighbor", "neighbor-table-overflow"
OLD, NEW = "02:00:00:00:00:aa", "02:00:00:00:00:bb"


def limit(value: int) -> object:
    return settings(net__ipv4__neigh__default__gc_thresh3=str(value))


@pytest.mark.parametrize("state", ["PERMANENT", "STALE", "REACHABLE"])
def test_an_entry_with_another_mac_address_than_the_host_itself(state: str) -> None:
    assert confidence(STALE, [entry(OLD, state=state), owner(NEW)]) > 0.7


def test_the_same_mac_address_in_any_case_is_no_conflict() -> None:
    assert confidence(STALE, [entry(NEW.upper()), owner(NEW)]) == 0.0


def test_one_listing_alone_contradicts_nobody() -> None:
    assert confidence(STALE, [entry(OLD)]) == 0.0
    assert confidence(STALE, [owner(NEW)]) == 0.0


def test_an_address_of_several_hosts_or_of_a_local_bridge_has_no_owner() -> None:
    assert confidence(STALE, [entry(OLD), owner(NEW), owner("02:00:00:00:00:cc", host="third")]) == 0.0
    assert confidence(STALE, [entry(OLD), owner(NEW, interface="docker0")]) == 0.0


def test_the_mac_address_of_another_listed_host_may_be_proxy_arp() -> None:
    router = owner(OLD, address="192.0.2.1", host="router")
    assert confidence(STALE, [entry(OLD), owner(NEW), router]) < 0.5


def test_a_connection_that_opens_refutes_it_and_failed_ones_support_it() -> None:
    listed = [entry(OLD), owner(NEW)]
    assert confidence(STALE, listed, [Losses().usual(SERVER, 3).build()]) < 0.3
    assert confidence(STALE, listed, [Losses().silent(SERVER, 3).build()]) > confidence(STALE, listed)


def _unheard(number: int) -> Losses:
    """Connections of 10.0.0.1 whose SYN-ACKs are captured on the outer interface and acknowledged by nobody."""
    capture = Losses()
    for _ in range(number):
        at_ns, isn, path = capture._new("10.0.0.1", SERVER)
        for again_ns in (0, S, 3 * S):
            capture.syn(at_ns + again_ns, path, isn=isn)
            answer = {"tcp_flags": SYN | ACK, "sequence": isn + 7, "acknowledgement": isn + 1}
            capture.packet("eth0", at_ns + again_ns + MS, SERVER, path[-1].source, **answer)
    return capture


@pytest.mark.parametrize(
    ("capture", "address"),
    [
        (Losses().silent(SERVER, 4).usual(OTHER_HOST, 4), "192.0.2.10"),
        (_unheard(4).usual(OTHER_HOST, 4, client="10.0.0.2"), "10.0.0.1"),
    ],
)
def test_unopened_connections_to_and_from_the_address_are_explained_by_it(
    capture: Losses, address: str
) -> None:
    listed = [entry(OLD, address=address), owner(NEW, address=address)]
    found = {d.cause: d for d in report([capture.build()], *listed).diagnoses}
    assert found[STALE].attempts_explained == 4
    assert [cause for cause, d in found.items() if d.confidence >= 0.5] == [STALE]


def test_a_logged_overflow_names_a_full_table() -> None:
    assert confidence(FULL, [log(OVERFLOW)]) > 0.7
    assert confidence(FULL, [log("Neighbour table overflow.")]) > 0.7
    assert confidence(FULL, [log("neighbour: ndisc_cache: duplicate")]) == 0.0


@pytest.mark.parametrize(("count", "named"), [(100, True), (99, False)])
def test_entries_at_the_limit_name_it_without_a_log(count: int, named: bool) -> None:
    assert (confidence(FULL, [neighbors(count), limit(100)]) > 0.5) is named  # type: ignore[list-item]


def test_static_entries_count_against_no_limit() -> None:
    assert confidence(FULL, [neighbors(100, state="PERMANENT"), limit(100)]) == 0.0  # type: ignore[list-item]


@pytest.mark.parametrize(("count", "less"), [(49, True), (50, False)])
def test_room_in_the_namespace_speaks_against_it(count: int, less: bool) -> None:
    listed = [log(OVERFLOW), neighbors(count), limit(100)]
    assert (confidence(FULL, listed) < confidence(FULL, [log(OVERFLOW)])) is less  # type: ignore[arg-type]
    assert (confidence(FULL, listed) < 0.5) is less, "the line may be an old one"  # type: ignore[arg-type]
