"""One exchange is one, however many vantage points saw it and whatever addresses it had there."""

from __future__ import annotations

import pytest

from backend.forensics.addresses import address_text
from backend.forensics.connections import NEVER
from backend.forensics.evidence.facts import gather_facts
from backend.forensics.evidence.requests.exchanges import Exchanges
from backend.forensics.tests.build_capture import MS, T0_NS, Hop, S
from backend.forensics.tests.build_http import HttpBuilder

CLIENT, SERVICE, POD = "10.2.0.9:20000", "10.96.0.1:80", "10.1.0.7:8000"
PLACES = ("veth", "cni0", "eth0")


def _exchanges(*captures: HttpBuilder, clocks_ns: tuple[int, ...] = (0, 0)) -> Exchanges:
    built = [capture.build(clock_ns=clock) for capture, clock in zip(captures, clocks_ns, strict=False)]
    return gather_facts(built, []).exchanges


def _ends(found: Exchanges) -> tuple[str, str, str]:
    table = found.addresses
    numbers = found.requester[0], found.called[0], found.responder[0]
    requester, called, responder = (address_text(int(table.high[n]), int(table.low[n])) for n in numbers)
    return requester, called, responder


@pytest.mark.parametrize("is_old", [False, True])
def test_three_vantage_points_show_one_exchange(is_old: bool) -> None:
    http = HttpBuilder(places=PLACES)
    http.exchange(100, CLIENT, POD, took_ms=20, is_old=is_old)
    found = _exchanges(http)
    assert len(found) == 1
    assert (found.start_ns[0], found.end_ns[0]) == (T0_NS + 100 * MS, T0_NS + 120 * MS)
    assert found.server_start_ns[0] == T0_NS + 100 * MS + 40_000  # as the last of them saw it


@pytest.mark.parametrize("is_old", [False, True])
def test_both_sides_of_a_translation_are_one_exchange(is_old: bool) -> None:
    http = HttpBuilder(places=PLACES)
    hops = [
        Hop("veth", 0, CLIENT, SERVICE),
        Hop("cni0", 20_000, CLIENT, POD),
        Hop("eth0", 40_000, CLIENT, POD),
    ]
    http.exchange(100, CLIENT, SERVICE, took_ms=20, hops=hops, is_old=is_old)
    found = _exchanges(http)
    assert len(found) == 1
    assert _ends(found) == ("10.2.0.9", "10.96.0.1", "10.1.0.7")


@pytest.mark.parametrize("is_old", [False, True])
def test_two_captures_show_one_exchange(is_old: bool) -> None:
    here, there = HttpBuilder("a.pcap", ("veth",)), HttpBuilder("b.pcap", ("eth0",))
    for capture, delay_ns in ((here, 0), (there, 30_000)):
        hops = [Hop(capture.packets.places[0], delay_ns, CLIENT, POD)]
        capture.exchange(100, CLIENT, POD, took_ms=20, hops=hops, is_old=is_old)
    assert len(_exchanges(here, there)) == 1


def test_requests_on_one_connection_are_several() -> None:
    http = HttpBuilder(places=PLACES)
    for n in range(5):
        http.exchange(100 + 30 * n, CLIENT, POD, took_ms=20, is_old=True)
    assert len(_exchanges(http)) == 5


def test_equal_sequence_numbers_of_two_clients_are_two_exchanges() -> None:
    first, second = HttpBuilder("a.pcap"), HttpBuilder("b.pcap")
    first.exchange(100, CLIENT, POD, is_old=True)
    second.exchange(100, "10.2.0.8:20007", "10.1.0.5:80", is_old=True)
    assert len(_exchanges(first, second)) == 2


def test_a_port_used_again_after_a_second_is_another_exchange() -> None:
    first, second = HttpBuilder("a.pcap"), HttpBuilder("b.pcap")
    first.exchange(100, CLIENT, POD, is_old=True)
    second.exchange(1_200, CLIENT, POD, is_old=True)
    assert len(_exchanges(first, second)) == 2


def test_halves_on_two_connections_are_joined_by_the_client_port() -> None:
    """Behind destination NAT a bridge shows the request to the agent and the response from the metadata address."""
    http = HttpBuilder(places=("cni0",))
    for n in range(3):
        http.exchange(100 + 30 * n, CLIENT, "10.1.0.1:8181", took_ms=None, is_old=True)
        http.answer(112 + 30 * n, CLIENT, "169.254.169.254:80")
    found = _exchanges(http)
    assert len(found) == 3
    assert ((found.end_ns - found.start_ns) == 12 * MS).all()


def test_a_lost_answer_is_none() -> None:
    http = HttpBuilder()
    http.exchange(100, CLIENT, POD, took_ms=None)
    http.lasts_until(3_000)
    found = _exchanges(http)
    assert found.end_ns.tolist() == [NEVER]
    assert found.lasts_ns[0] == 2_900 * MS


def test_an_answer_that_the_caller_does_not_hear() -> None:
    http = HttpBuilder(places=("veth", "eth0"))
    http.exchange(100, CLIENT, POD, took_ms=5)
    http.exchange(200, CLIENT, POD, took_ms=5)
    http.silence_answers("veth", after_ms=150)
    assert _exchanges(http).unheard.tolist() == [False, True]


def test_times_are_those_of_the_reference_clock() -> None:
    here, there = HttpBuilder("a.pcap", ("veth",)), HttpBuilder("b.pcap", ("eth0",))
    for capture, delay_ns in ((here, 0), (there, 30_000)):
        for n in range(5):
            hops = [Hop(capture.packets.places[0], delay_ns, f"10.2.0.9:{20_000 + n}", POD)]
            capture.exchange(100 + n * 50, f"10.2.0.9:{20_000 + n}", POD, took_ms=20, hops=hops)
    found = _exchanges(here, there, clocks_ns=(0, 3 * S))
    assert len(found) == 5
    assert abs(int(found.server_start_ns[0]) - T0_NS - 100 * MS) < MS
