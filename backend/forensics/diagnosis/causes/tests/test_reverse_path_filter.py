"""The filter counts and logs what it drops; its mode decides whether it can have dropped it."""

from __future__ import annotations

import pytest

from backend.forensics.diagnosis.causes.tests.build_losses import SERVER, Losses, diagnosis, report
from backend.forensics.diagnosis.causes.tests.dump_cases import (
    MARTIAN,
    RP_COUNTER,
    counters,
    filters,
    log,
    rules,
)
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.packets import ACK, SYN
from backend.forensics.tests.build_capture import MS, S

CAUSE = "reverse-path-filter"
STRICT = filters(0, eth0=0, eth1=1)


def rise(by: int) -> list[DumpInput]:
    return [counters(1, **{RP_COUNTER: 7}), counters(2, **{RP_COUNTER: 7 + by})]


def alone(*dumps: DumpInput) -> float:
    return next((d.confidence for d in report([], *dumps).diagnoses if d.cause == CAUSE), 0.0)


def test_the_counter_and_a_strict_filter_name_it_without_a_capture() -> None:
    assert alone(*rise(40), STRICT) > 0.7
    assert alone(*rise(40), log(MARTIAN), STRICT) > 0.85


def test_each_sign_alone_is_possible_at_most() -> None:
    assert 0.3 < alone(*rise(40)) <= 0.5
    assert 0.3 < alone(log(MARTIAN)) <= 0.5
    assert alone(STRICT) == 0.0


@pytest.mark.parametrize(("by", "sure"), [(2, False), (3, True)])
def test_a_packet_or_two_are_an_accident(by: int, sure: bool) -> None:
    assert (alone(*rise(by), STRICT) > 0.5) is sure


def test_a_counter_that_stays_or_is_listed_once_is_no_sign() -> None:
    assert alone(*rise(0), STRICT) == 0.0
    assert alone(counters(1, **{RP_COUNTER: 9_000}), STRICT) == 0.0


def test_the_larger_value_of_all_and_the_interface_counts() -> None:
    assert alone(log(MARTIAN), filters(1, eth1=0)) > 0.5
    assert alone(log(MARTIAN), filters(2, eth1=1)) < 0.3
    assert alone(log(MARTIAN), filters(0, eth1=0)) < 0.1


@pytest.mark.parametrize(
    ("listed", "named"),
    [(filters(0, eth0=0, eth1=1), "on eth1"), (filters(0, eth0=1, eth1=1), ""), (filters(1, eth0=1), "")],
)
def test_an_interface_is_named_where_it_alone_can_have_dropped_them(listed: DumpInput, named: str) -> None:
    (found,) = (d for d in report([], *rise(40), listed).diagnoses if d.cause == CAUSE)
    assert ("on eth" in found.statement) is bool(named)
    assert named in found.statement


@pytest.mark.parametrize(
    ("listed", "named"),
    [(filters(1, eth0=0), "cni0"), (filters(0, cni0=1, eth0=0), "cni0"), (filters(0, eth0=1), "")],
)
def test_the_interface_by_which_answers_came_is_named_where_it_is_strict(
    listed: DumpInput, named: str
) -> None:
    # The SYNs are seen on eth0 alone, their SYN-ACKs on cni0 alone.
    capture = Losses("eth0", "cni0").usual("192.0.2.99:80", 8)
    for _ in range(6):
        at_ns, isn, path = capture._new("10.0.0.1", SERVER)
        for again_ns in (0, S):
            capture.syn(at_ns + again_ns, path[:1], isn=isn)
        answer = {"tcp_flags": SYN | ACK, "sequence": isn + 7, "acknowledgement": isn + 1}
        capture.packet("cni0", at_ns + MS, SERVER, path[0].source, **answer)
    (found,) = (
        d for d in report([capture.build()], *rise(40), listed).diagnoses if d.cause == "return-path-loss"
    )
    fixes = [
        remedy.command for remedy in found.remedies if remedy.command and "rp_filter=2" in remedy.command
    ]
    assert fixes == [f"sysctl -w net.ipv4.conf.{named or 'INTERFACE'}.rp_filter=2"]


def test_a_strict_filter_of_another_interface_than_the_logged_one_is_no_sign() -> None:
    assert alone(log(MARTIAN), filters(0, eth0=1)) == alone(log(MARTIAN)) <= 0.5


def test_an_interface_that_is_not_listed_says_nothing() -> None:
    assert alone(*rise(40), filters(0, eth0=0)) == alone(*rise(40))


@pytest.mark.parametrize(
    "text",
    [
        "IPv4: martian source 255.255.255.255 from 10.0.0.9, on dev eth0",
        "IPv4: martian source 10.0.0.1 from 127.0.0.1, on dev eth0",
        "IPv4: martian destination 0.0.0.0 from 10.0.0.9, dev eth0",
    ],
)
def test_other_martians_are_none_of_it(text: str) -> None:
    assert alone(log(text), STRICT) == 0.0


def test_a_rule_of_netfilter_counts_by_itself() -> None:
    invert = "-A PREROUTING -m rpfilter --validmark --invert -j DROP"
    assert alone(rules((invert, 30))) > 0.5
    assert alone(rules((invert, 0))) == 0.0


def test_answers_lost_on_the_way_back_support_it_and_without_any_it_is_open() -> None:
    lost = Losses().usual("192.0.2.99:80", 8).unheard(SERVER, 6).build()
    found = diagnosis(CAUSE, lost, *rise(12), STRICT)
    assert found is not None
    assert found.confidence > 0.7
    healthy = diagnosis(CAUSE, Losses().usual(SERVER, 9).build(), *rise(12), STRICT)
    assert healthy is not None
    assert healthy.confidence < 0.5
