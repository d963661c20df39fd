"""Requests for listings, held against those of the host that they are about."""

from __future__ import annotations

from dataclasses import replace

import pytest

from backend.forensics.detection.run import run_detectors
from backend.forensics.diagnosis.causes.tests.build_losses import BOTH, SERVER, Losses
from backend.forensics.diagnosis.given_listings import HostRole, ListingRequest, without_given
from backend.forensics.diagnosis.lost_syns import CAPTURE_BOTH_SIDES
from backend.forensics.diagnosis.run import diagnose
from backend.forensics.dumps import CounterRow, Dump, InterfaceAddress, Setting
from backend.forensics.evidence.facts import gather_facts
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.packets import ACK, SYN
from backend.forensics.report import MissingPart

TWICE = "nstat -az X; sleep 60; nstat -az X"


def _listed(host: str, address: str, **kinds: int) -> list[DumpInput]:
    """Its address, and so many listings of each kind."""
    own = Dump("ip-addr", 1, (), host=host, addresses=(InterfaceAddress(1, "eth0", address, 24),))
    given = [
        Dump(kind, 1, (), host=host, counters=(CounterRow(1, None, {"X": n}),))
        for kind, times in kinds.items()
        for n in range(times)
    ]
    return [DumpInput(f"{host}-{n}.txt", host, dump) for n, dump in enumerate([own, *given])]


def _left(request: MissingPart, *dumps: DumpInput) -> str | None:
    facts = gather_facts([Losses().usual(SERVER, 30).late(SERVER, 4).build()], dumps)
    detected = run_detectors(facts)
    one = next(d for d in diagnose(facts, detected.cases).diagnoses if d.findings)
    left = without_given(facts, one.model_copy(update={"missing": [request]}), detected.cases).missing
    return left[0].command if left else None


def _request(command: str, at: HostRole, what: str = "Counters") -> ListingRequest:
    return ListingRequest(what=what, command=command, at=at)


SERVER_HOST, CLIENT_HOST, OTHER = ("server", "192.0.2.10"), ("client", "10.0.0.1"), ("other", "203.0.113.9")


@pytest.mark.parametrize(("times", "left"), [(0, TWICE), (1, TWICE), (2, None)])
def test_what_the_server_gave_as_often_as_asked_is_not_asked_of_it(times: int, left: str | None) -> None:
    dumps = [*_listed(*SERVER_HOST, nstat=times), *_listed(*OTHER)]
    assert _left(_request(TWICE, "server"), *dumps) == left


def test_what_another_host_gave_is_asked_of_the_server() -> None:
    dumps = [*_listed(*SERVER_HOST), *_listed(*OTHER, nstat=2)]
    assert _left(_request(TWICE, "server"), *dumps) == TWICE


@pytest.mark.parametrize(("of_client", "left"), [(2, None), (0, TWICE)])
def test_both_ends_are_asked(of_client: int, left: str | None) -> None:
    dumps = [*_listed(*SERVER_HOST, nstat=2), *_listed(*CLIENT_HOST, nstat=of_client)]
    assert _left(_request(TWICE, "ends"), *dumps) == left


@pytest.mark.parametrize(("of_other", "left"), [(2, None), (1, TWICE)])
def test_where_no_host_is_meant_every_one_must_have_given_it(of_other: int, left: str | None) -> None:
    dumps = [*_listed(*SERVER_HOST, nstat=2), *_listed(*OTHER, nstat=of_other)]
    assert _left(MissingPart(what="Counters", command=TWICE), *dumps) == left


def test_a_rise_needs_two() -> None:
    asked = _request("nstat -az X", "server", "Counters, before and after")
    assert _left(asked, *_listed(*SERVER_HOST, nstat=1)) == asked.command
    assert _left(asked, *_listed(*SERVER_HOST, nstat=2)) is None


def test_what_is_left_of_a_request_stays() -> None:
    asked = _request("nstat -az X; ip -s link show; ss -lnt", "server")
    assert _left(asked, *_listed(*SERVER_HOST, nstat=1)) == "ip -s link show; ss -lnt"


def test_captures_and_programs_are_asked_for_as_before() -> None:
    asked = _request("tcpdump -i any -w a.pcap", "every")
    assert _left(asked, *_listed(*SERVER_HOST, nstat=2)) == asked.command


@pytest.mark.parametrize(
    ("key", "left"), [("net.ipv4.vs.conntrack", None), ("net.ipv4.vsx", "sysctl net.ipv4.vs")]
)
def test_settings_are_known_by_their_keys(key: str, left: str | None) -> None:
    given = Dump("sysctl", 1, (), host="server", settings=(Setting(1, key, "0"),))
    dumps = [*_listed(*SERVER_HOST), DumpInput("sysctl.txt", "server", given)]
    assert _left(_request("sysctl net.ipv4.vs", "server"), *dumps) == left


def _routed(ttl: int | None, *, places: tuple[str, ...] = BOTH) -> Losses:
    """SYNs of which one in many is lost, from two machines' vantage points; SYN-ACKs with this TTL at the outermost."""
    made = Losses(*places).usual(SERVER, 30).late(SERVER, 4)
    for row in made._packets:
        if ttl and row["tcp_flags"] == SYN | ACK:
            row["ttl"] = ttl - (len(places) - 1 - row["vantage"])
    return made


@pytest.mark.parametrize(
    ("ttl", "machines", "asked"),
    [(64, (0, 1), False), (63, (0, 1), True), (64, (0, 0), True), (None, (0, 1), True)],
)
def test_a_capture_at_the_server_is_asked_for_unless_given(
    ttl: int | None, machines: tuple[int, int], asked: bool
) -> None:
    """A router lies behind the outermost place, or both places are of one machine, or the TTL is not known."""
    capture = _routed(ttl).build()
    points = zip(capture.vantage_points, machines, strict=True)
    given = replace(capture, vantage_points=tuple(replace(p, machine=n) for p, n in points))
    facts = gather_facts([given], [])
    detected = run_detectors(facts)
    one = next(d for d in diagnose(facts, detected.cases).diagnoses if d.findings)
    left = without_given(facts, one.model_copy(update={"missing": [CAPTURE_BOTH_SIDES]}), detected.cases)
    assert left.missing == ([CAPTURE_BOTH_SIDES] if asked else [])
