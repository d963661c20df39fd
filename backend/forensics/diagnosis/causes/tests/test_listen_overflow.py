"""A full accept queue: SYNs reach the server's side and are answered later."""

from __future__ import annotations

import pytest

from backend.forensics.diagnosis.causes.tests.build_losses import (
    OTHER_PORT,
    SERVER,
    Losses,
    add_data,
    confidence,
    diagnosis,
    listen,
    nstat,
)

CAUSE = "listen-overflow"


def full(late: int = 6) -> Losses:
    return Losses().usual(SERVER, 20).usual(OTHER_PORT, 60).late(SERVER, late)


def test_rising_listen_counters_confirm_it() -> None:
    found = diagnosis(CAUSE, full().build(), *nstat(TcpExtListenOverflows=9, TcpExtListenDrops=9))
    assert found is not None
    assert found.verdict == "confirmed"


def test_a_queue_over_its_backlog_confirms_it_and_one_below_does_not() -> None:
    plain = confidence(CAUSE, full().build())
    over, below = (confidence(CAUSE, full().build(), listen(n, 128)) for n in (129, 128))
    assert over > 0.9
    assert below == plain


def test_flat_listen_counters_refute_it() -> None:
    assert confidence(CAUSE, full().build(), *nstat(TcpExtListenOverflows=0, TcpExtListenDrops=0)) < 0.5


def test_syns_lost_before_the_server_refute_it() -> None:
    capture = Losses().usual(SERVER, 20).usual(OTHER_PORT, 60).late(SERVER, 6, seen_at=1).build()
    assert confidence(CAUSE, capture) < 0.5


def test_data_lost_as_often_speaks_against_it() -> None:
    lossy = add_data(full().build(), 200, 60)
    assert confidence(CAUSE, lossy) < confidence(CAUSE, add_data(full().build(), 200, 0))
    assert confidence(CAUSE, lossy) < 0.5


def test_one_lost_syn_from_one_vantage_point_is_not_blamed_on_it() -> None:
    capture = Losses("eth0").usual(SERVER, 3).late(SERVER, 1).build()
    assert confidence(CAUSE, capture) == 0.0


def test_other_ports_that_suffer_too_weaken_it() -> None:
    alone = confidence(CAUSE, full().build())
    assert confidence(CAUSE, full().late(OTHER_PORT, 15).build()) < alone


@pytest.mark.parametrize("answered_again", [False, True])
def test_a_syn_ack_repeated_after_the_ack_speaks_for_it(answered_again: bool) -> None:
    capture = full().build()
    before = confidence(CAUSE, capture)
    if answered_again:
        outer = capture.connections["vantage"] == 1
        capture.connections["syn_acks"][outer.argmax()] = 3
    assert (confidence(CAUSE, capture) > before) is answered_again


@pytest.mark.parametrize(("overflows", "queue"), [(0, "SYN queue"), (8, "accept queue")])
def test_drops_without_overflows_are_of_the_syn_queue(overflows: int, queue: str) -> None:
    dumps = nstat(TcpExtListenOverflows=overflows, TcpExtListenDrops=8)
    found = diagnosis(CAUSE, full().build(), *dumps)
    assert found is not None
    assert queue in found.title.lower().replace("syn", "SYN")
    assert queue in found.statement
    assert ("tcp_syncookies" in str(found.remedies)) == (queue == "SYN queue")
