"""How far the clocks of two hosts are apart, and what becomes of connections seen on both."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backend.forensics.captures import Capture
from backend.forensics.evidence.clocks.clock_fit import STEADY_NS
from backend.forensics.evidence.facts import gather_facts
from backend.forensics.messages import HeldMessages
from backend.forensics.round_trips import ECHO, ROUND_TRIP_DTYPE, ROUND_TRIP_SCHEMA
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, S, plain_path
from backend.forensics.tests.build_hosts import SERVER, Clock, Link, TwoHosts

HOUR = 3_600 * S


def attempts_of(hosts: TwoHosts) -> tuple[int, int]:
    """(connection attempts, those sent again)."""
    attempts = gather_facts(hosts.captures(), []).attempts
    return len(attempts.table), len(attempts.retried)


skews = st.one_of(
    st.integers(-500 * MS, 500 * MS), st.integers(-40 * HOUR, 40 * HOUR), st.sampled_from([0, 350 * MS])
)


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(
    offset_ns=skews,
    drift_ppm=st.floats(-100, 100),
    weak=st.booleans(),
    nat=st.booleans(),
    delay_ns=st.integers(10_000, 40 * MS),
    duration_ns=st.integers(5 * S, 3 * HOUR),
    seed=st.integers(0, 9),
)
def test_offset_and_drift_lie_within_the_stated_error(
    offset_ns: int, drift_ppm: float, weak: bool, nat: bool, delay_ns: int, duration_ns: int, seed: int
) -> None:
    clock = Clock(offset_ns, drift_ppm)
    link = Link(delay_ns, delay_ns + delay_ns // 3, 2 * delay_ns, nat)
    hosts = TwoHosts(clock, link, seed=seed, weak=weak)
    hosts.traffic(120, duration_ns)
    facts = gather_facts(hosts.captures(), [])
    found = facts.clocks.between("server.pcap", "client.pcap")
    assert found is not None
    assert found.both_directions
    for since in (0, duration_ns):
        shown = clock.shows(T0_NS + since)
        said_ns = found.offset_ns + found.drift_ppm * (shown - found.at_ns) / 1e6
        assert abs(said_ns - (shown - T0_NS - since)) <= found.uncertainty_ns + delay_ns
    assert len(facts.attempts.table) == 120
    assert not facts.attempts.retried
    assert facts.clocks.problems == ()


@pytest.mark.parametrize("delay_ns", [20_000, 30 * MS, 600 * MS])
def test_a_long_path_is_no_clock_offset(delay_ns: int) -> None:
    hosts = TwoHosts(Clock(), Link(delay_ns, delay_ns, delay_ns // 2))
    hosts.traffic(50)
    facts = gather_facts(hosts.captures(), [])
    (clock,) = facts.clocks.offsets
    assert not clock.corrected
    assert facts.attempts.order.delay_ns[0, 1][0] >= delay_ns


@pytest.mark.parametrize(("offset_ns", "corrected"), [(299_000, False), (301_000, True)])
def test_an_offset_is_corrected_from_a_tenth_of_a_millisecond_beyond_the_path_on(
    offset_ns: int, corrected: bool
) -> None:
    hosts = TwoHosts(Clock(offset_ns), Link(200_000, 200_000, 0))
    hosts.traffic(20)
    (clock,) = gather_facts(hosts.captures(), []).clocks.offsets
    assert (clock.offset_ns, clock.uncertainty_ns, clock.corrected) == (offset_ns, 200_000, corrected)


@pytest.mark.parametrize(("offset_ns", "corrected"), [(249_700_000, False), (249_900_000, True)])
def test_with_one_direction_only_a_quarter_of_a_second_is_no_delay(offset_ns: int, corrected: bool) -> None:
    hosts = TwoHosts(Clock(offset_ns), Link(200_000, 200_000, 0))
    hosts.traffic(20, answered=False)
    (clock,) = gather_facts(hosts.captures(), []).clocks.offsets
    assert (clock.both_directions, clock.corrected) == (False, corrected)


@pytest.mark.parametrize("weak", [False, True])
def test_unanswered_syns_of_hosts_hours_apart_are_no_retransmissions(weak: bool) -> None:
    hosts = TwoHosts(Clock(5 * HOUR, 40), weak=weak)
    hosts.traffic(40, answered=False)
    assert attempts_of(hosts) == (40, 0)


def test_syns_repeated_without_a_sure_key_are_told_apart_on_unlike_clocks() -> None:
    hosts = TwoHosts(Clock(-7 * S), weak=True)
    for number in range(5):
        for at_s in (0, 1, 3):
            hosts.syn(T0_NS + number * 20 * MS + at_s * S, 1_000 + number)
    attempts = gather_facts(hosts.captures(), []).attempts
    assert [len(a.transmissions) for a in attempts.retried] == [3] * 5
    assert all(len(sent.sightings) == 2 for a in attempts.retried for sent in a.transmissions)


@pytest.mark.parametrize("offset_ns", [0, 350 * MS, 3 * HOUR])
def test_a_syn_lost_between_hosts_is_found_whatever_their_clocks_say(offset_ns: int) -> None:
    hosts = TwoHosts(Clock(offset_ns))
    hosts.traffic(30)
    hosts.syn(T0_NS + 5 * S, 77, arrives=False)
    hosts.answer(hosts.syn(T0_NS + 6 * S, 77) + 50_000, 77)
    facts = gather_facts(hosts.captures(), [])
    assert [loss.where for loss in facts.losses] == ["between eth0 and ens5"]


@pytest.mark.parametrize(("set_ns", "steady"), [(STEADY_NS // 2, True), (3 * STEADY_NS, False)])
def test_a_clock_that_was_set_meanwhile_ends_every_claim_between_the_two(set_ns: int, steady: bool) -> None:
    hosts = TwoHosts(Clock(0, 0, set_ns, 30 * S), weak=True)
    hosts.traffic(200)
    facts = gather_facts(hosts.captures(), [])
    assert not facts.attempts.retried
    assert [p for p in facts.clocks.problems if "cannot be aligned" in p] == list(facts.clocks.problems)
    assert len(facts.clocks.problems) == (0 if steady else 1)
    assert len(facts.attempts.table) == (200 if steady else 400)


def test_captures_of_different_times_are_not_compared() -> None:
    earlier, later = CaptureBuilder("a.pcap", ("eth0",)), CaptureBuilder("b.pcap", ("eth0",))
    path = plain_path("10.0.0.1:40000", SERVER, "eth0")
    earlier.syn(T0_NS, path, isn=5, ip_id=0, timestamp_value=0)
    later.syn(T0_NS + S, path, isn=5, ip_id=0, timestamp_value=0)
    facts = gather_facts([earlier.build(), later.build()], [])
    assert not facts.attempts.retried
    (problem,) = facts.clocks.problems
    assert "recorded at different times" in problem


def test_three_hosts_are_compared_through_the_one_between_them() -> None:
    near, far = TwoHosts(Clock(2 * S)), TwoHosts(Clock(-3 * S))
    for hosts in (near, far):
        hosts.traffic(10)
    far.near.name, far.far.name = "server.pcap", "third.pcap"
    _, third = far.captures()
    first, middle = near.captures()
    # What the third saw is what the second saw, on the second's clock.
    for table, column in ((third.handshakes, "time_ns"), (third.connections, "syn_ns")):
        table[column] += 2 * S
    clocks = gather_facts([first, middle, third], []).clocks
    found = clocks.between("third.pcap", "client.pcap")
    assert found is not None
    assert abs(found.offset_ns + S) <= found.uncertainty_ns


def test_times_go_to_the_common_clock_and_back() -> None:
    hosts = TwoHosts(Clock(9 * S, 80))
    hosts.traffic(100, HOUR)
    clocks = gather_facts(hosts.captures(), []).clocks
    for since in (0, HOUR // 2, HOUR):
        own_ns = hosts.clock.shows(T0_NS + since)
        common_ns = clocks.at_reference(1, own_ns)
        assert abs(common_ns - T0_NS - since) < MS
        assert abs(clocks.own_time(1, common_ns) - own_ns) < 1_000


def echoes(name: str, offset_ns: int, delay_ns: int, count: int = 50) -> Capture:
    """Echoes every 10 ms and nothing else; `delay_ns` off the prober, on a clock that is ahead."""
    rows = np.zeros(count, ROUND_TRIP_DTYPE)
    rows["kind"], rows["sequence"] = ECHO, (77 << 16) + np.arange(count)
    rows["prober_low"], rows["responder_low"] = 0xFFFF0A000001, 0xFFFF0A000002
    rows["sent_ns"] = T0_NS + np.arange(count) * 10 * MS + offset_ns + delay_ns
    rows["rtt_ns"] = 2 * MS - 2 * delay_ns
    table = pa.Table.from_arrays(
        [pa.array(rows[n]) for n in ROUND_TRIP_SCHEMA.names], schema=ROUND_TRIP_SCHEMA
    )
    return replace(CaptureBuilder(name, ("eth0",)).build(), round_trips=HeldMessages(table))


@pytest.mark.parametrize("offset_ns", [-3 * HOUR, 0, 350 * MS])
def test_echoes_alone_tell_the_offset(offset_ns: int) -> None:
    captures = [echoes("client.pcap", 0, 0), echoes("server.pcap", offset_ns, 400_000)]
    clocks = gather_facts(captures, []).clocks
    found = clocks.between("server.pcap", "client.pcap")
    assert found is not None
    assert (found.offset_ns, found.delay_ns, found.both_directions) == (offset_ns, 400_000, True)
    assert clocks.problems == ()
    assert found.corrected == (offset_ns != 0)
