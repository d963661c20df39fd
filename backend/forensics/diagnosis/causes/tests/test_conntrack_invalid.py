"""Untranslated packets: told from an entry that is gone, and refuted by a counter that stays flat."""

from __future__ import annotations

from dataclasses import replace

import pytest

from backend.forensics.captures import Capture
from backend.forensics.diagnosis.causes.tests.build_losses import (
    conntrack_stats,
    diagnosis,
    log,
    sysctl,
)
from backend.forensics.dumps import Dump, FilterRule
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.packets import ACK, RST
from backend.forensics.report import DiagnosisPart
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, Hop, S

CAUSE = "conntrack-invalid"
SERVICE, POD = "10.96.0.1:80", "10.0.1.9:8080"
LOGGED = "nf_ct_proto_6: SEQ is over the upper bound (over the window of the receiver) IN= OUT="


def un_nated(
    number: int = 3, *, after_s: float = 0.5, closed: bool = False, places: tuple[str, ...] = ("cni0",)
) -> Capture:
    """Connections to SERVICE; so long after their last packet one of POD comes untranslated and is reset."""
    capture = CaptureBuilder(places=("veth", "cni0", "eth0"))
    for n in range(number):
        client, at_ns = f"10.0.0.1:{20_000 + n}", T0_NS + n * 10 * MS
        inside = [Hop(place, 5_000 * i, client, SERVICE) for i, place in enumerate(("veth", "cni0"))]
        capture.connect(at_ns, [*inside, Hop("eth0", 20_000, client, POD)], isn=n + 1)
        flags = RST | ACK if closed else ACK
        for place in ("veth", "cni0"):
            capture.packet(place, at_ns + S, SERVICE, client, tcp_flags=flags, payload_bytes=100)
        packet_ns = at_ns + S + int(after_s * S)
        for delay_ns, place in enumerate(places):
            capture.packet(place, packet_ns + delay_ns, POD, client, tcp_flags=ACK, payload_bytes=100)
            capture.packet(place, packet_ns + 50_000 + delay_ns, client, POD, tcp_flags=RST)
    return capture.build()


def found(capture: Capture, *dumps: DumpInput) -> DiagnosisPart:
    diagnosed = diagnosis(CAUSE, capture, *dumps)
    assert diagnosed is not None
    return diagnosed


def rules(*texts: str, chain: str = "KUBE-FORWARD") -> DumpInput:
    rows = tuple(FilterRule(n, text, "filter", chain, "DROP") for n, text in enumerate(texts, 4))
    return DumpInput("iptables.txt", None, Dump("iptables-save", 9, (), filter_rules=rows))


def test_the_packets_alone_leave_it_possible() -> None:
    diagnosed = found(un_nated())
    assert diagnosed.verdict == "possible"
    assert (diagnosed.rivals[0].cause, diagnosed.rivals[0].status) == ("entry-gone", "possible")
    assert diagnosed.missing[0].command == "conntrack -S; sleep 60; conntrack -S"
    assert SERVICE in diagnosed.statement
    assert POD in diagnosed.statement


def test_a_counter_that_rises_with_them_confirms_it() -> None:
    diagnosed = found(un_nated(), *conntrack_stats(invalid=3))
    assert diagnosed.verdict == "confirmed"
    assert diagnosed.rivals[0].status == "ruled-out"


def test_fewer_counted_than_reset_says_less() -> None:
    fewer, enough = (found(un_nated(), *conntrack_stats(invalid=n)).confidence for n in (2, 3))
    assert found(un_nated()).confidence < enough
    assert fewer < enough


def test_a_flat_counter_refutes_it() -> None:
    diagnosed = found(un_nated(), *conntrack_stats(invalid=0))
    assert diagnosed.verdict == "cannot-tell"
    assert diagnosed.contradicting


def test_a_counter_of_another_time_says_nothing() -> None:
    before, after = conntrack_stats(invalid=0)
    early = [
        replace(each, dump=replace(each.dump, captured_at_ns=(each.dump.captured_at_ns or 0) - 3_600 * S))
        for each in (before, after)
    ]
    assert found(un_nated(), *early).confidence == found(un_nated()).confidence


def test_the_log_agrees() -> None:
    assert found(un_nated(), log(LOGGED)).verdict == "confirmed"
    assert found(un_nated(), log("eth0: link up")).verdict == "possible"


@pytest.mark.parametrize(("after_s", "verdict"), [(59.9, "confirmed"), (60.0, "possible")])
def test_a_long_silence_may_have_ended_the_entry(after_s: float, verdict: str) -> None:
    capture = un_nated(after_s=after_s)
    before, after = conntrack_stats(invalid=3)
    late = replace(after, dump=replace(after.dump, captured_at_ns=T0_NS + 600 * S))
    assert found(capture, before, late).verdict == verdict


def test_connections_that_were_over_speak_against_it() -> None:
    assert found(un_nated(closed=True)).verdict == "cannot-tell"


@pytest.mark.parametrize(("value", "more"), [("0", True), ("1", False)])
def test_the_setting_that_tolerates_them(value: str, more: bool) -> None:
    setting = sysctl(net__netfilter__nf_conntrack_tcp_be_liberal=value)
    # The log keeps the verdict from hiding the number.
    with_it, without = (found(un_nated(), log(LOGGED), *d).confidence for d in ((setting,), ()))
    assert (with_it > without) is more
    assert with_it != without


def test_a_rule_that_drops_them_speaks_against_it() -> None:
    drops = "-A KUBE-FORWARD -m conntrack --ctstate INVALID -j DROP"
    bare = found(un_nated(), log(LOGGED)).confidence
    assert found(un_nated(), log(LOGGED), rules(drops)).confidence < bare
    assert found(un_nated(), log(LOGGED), rules(drops, chain="INPUT")).confidence == bare
    assert found(un_nated(), log(LOGGED), rules("-A X -p tcp -j DROP")).confidence == bare


@pytest.mark.parametrize("number", [1, 2])
def test_one_packet_at_two_vantage_points_is_one(number: int) -> None:
    diagnosed = diagnosis(CAUSE, un_nated(number, places=("veth", "cni0")))
    assert (diagnosed is not None) == (number == 2)
    if diagnosed is not None:
        assert {f.name: f.value for f in diagnosed.figures}["connections reset"] == "2"


def test_connections_to_the_pod_itself_are_none_of_it() -> None:
    capture = CaptureBuilder()
    for n in range(3):
        client, at_ns = f"10.0.0.1:{20_000 + n}", T0_NS + n * 10 * MS
        capture.connect(at_ns, [Hop("cni0", 0, client, POD), Hop("eth0", 20_000, client, POD)], isn=n + 1)
        capture.packet("cni0", at_ns + S, POD, client, tcp_flags=ACK, payload_bytes=100)
        capture.packet("cni0", at_ns + S + MS, client, POD, tcp_flags=RST)
    assert diagnosis(CAUSE, capture.build()) is None


def client_alone(*, reset: bool = True, own_data: bool = False, other: str = "") -> Capture:
    """What the client's host sees: the connections to SERVICE, the un-NATed packets, and the reset that its next
    data meets."""
    capture = CaptureBuilder(places=("eth0",))
    for n in range(3):
        client, at_ns = f"10.0.0.1:{20_000 + n}", T0_NS + n * 10 * MS
        capture.connect(at_ns, [Hop("eth0", 0, client, SERVICE)], isn=n + 1)
        port = other or client
        capture.packet("eth0", at_ns + S, POD, port, tcp_flags=ACK, payload_bytes=100)
        capture.packet("eth0", at_ns + S + 50_000, port, POD, tcp_flags=RST)
        flags = RST if reset else ACK
        capture.packet("eth0", at_ns + S + MS, SERVICE, client, tcp_flags=flags, payload_bytes=0)
    built = capture.build()
    begun = built.connections["syns"] == 0
    for end in ("client", "server"):
        built.connections[f"{end}_bytes"][begun] = 100 if own_data else 0
    return built


def test_the_client_s_capture_alone_shows_them() -> None:
    diagnosed = found(client_alone())
    assert diagnosed.confidence >= 0.5
    assert SERVICE in diagnosed.statement
    assert POD in diagnosed.statement


@pytest.mark.parametrize(
    "capture", [client_alone(reset=False), client_alone(own_data=True), client_alone(other="10.0.0.1:999")]
)
def test_a_connection_of_its_own_to_somebody_else_is_no_un_nated_packet_packet(capture: Capture) -> None:
    """Its port is free for other addresses: the connection to the service must suffer, and the other be unknown."""
    assert diagnosis(CAUSE, capture) is None
