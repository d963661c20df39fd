"""What answers a SYN, other than a SYN-ACK; and which loss made an attempt wait."""

from __future__ import annotations

import pytest

from backend.forensics.diagnosis.causes.node_drop.evidence import collect_losses
from backend.forensics.diagnosis.causes.tests.build_losses import (
    OTHER_HOST,
    SERVER,
    Losses,
)
from backend.forensics.evidence.absence.icmp_reported import first_losses, icmp_reported
from backend.forensics.evidence.facts import gather_facts
from backend.forensics.tests.build_capture import S


def test_a_syn_without_an_icmp_error_is_not_told() -> None:
    facts = gather_facts([Losses().usual(OTHER_HOST, 3).silent(SERVER, 2).build()], [])
    assert not icmp_reported(facts.losses, facts.icmp_errors).any()


def test_only_the_first_syn_of_each_attempt_begins_its_wait() -> None:
    facts = gather_facts([Losses().silent(SERVER, 2, gaps_s=(1, 2, 4)).build()], [])
    assert len(facts.losses) == 8
    assert first_losses(facts.losses).tolist() == [True, False, False, False] * 2


def test_a_retry_that_vanishes_in_the_node_is_not_what_delayed_the_attempt() -> None:
    first = Losses().usual(SERVER, 5).silent(SERVER, 1, gaps_s=(1,), seen_at=1)
    assert collect_losses(gather_facts([first.build()], []), [])
    later = Losses().usual(SERVER, 5)
    at_ns, isn, path = later._new("10.0.0.1", SERVER)
    later.syn(at_ns, path, isn=isn)
    later.syn(at_ns + S, path[:1], isn=isn)
    later.syn(at_ns + 3 * S, path, isn=isn)
    assert not collect_losses(gather_facts([later.build()], []), [])


@pytest.mark.parametrize(("gap_s", "reported"), [(3.9, True), (4.1, False)])
@pytest.mark.parametrize(
    ("code", "host", "about"), [(1, SERVER, True), (3, SERVER, False), (1, OTHER_HOST, False)]
)
def test_an_unreachable_host_explains_the_syns_that_waited_for_its_link_address(
    gap_s: float, code: int, host: str, *, reported: bool, about: bool
) -> None:
    """Errors are sent 3 s after the connection that they quote; an earlier one has none of its own (rate limit)."""
    capture = Losses().silent(SERVER, 1, gaps_s=(1,))
    skipped = round((gap_s - 3) * 50) - 1  # connections begin every 20 ms
    capture._next += skipped
    capture.silent(host, 1, gaps_s=(1,)).told(host, code)
    facts = gather_facts([capture.build()], [])
    first = facts.icmp_errors.common_ns[0] - facts.attempts.retried.start_ns[0]
    assert (first <= 4 * S) == reported
    found = icmp_reported(facts.losses, facts.icmp_errors)
    assert bool(found[facts.losses.attempt == 0][0]) == (reported and about)


@pytest.mark.parametrize(("answered", "gap_s", "reported"), [(0, 3, True), (1, 3, False), (0, 61, False)])
def test_an_error_speaks_for_later_syns_until_the_host_answers(
    answered: int, gap_s: int, *, reported: bool
) -> None:
    """Rate limits leave most SYNs of an outage without an error of their own."""
    capture = Losses().usual(SERVER, 3).silent(SERVER, 1, gaps_s=(1,)).told(SERVER, 0)
    capture._next += 50 * (3 + gap_s) - 30  # connections begin every 20 ms, the error is 3 s late
    capture.usual(SERVER, answered).silent(SERVER, 1, gaps_s=(1,), seen_at=1)
    facts = gather_facts([capture.build()], [])
    last = facts.losses.attempt == len(facts.attempts.retried) - 1
    assert icmp_reported(facts.losses, facts.icmp_errors)[last][0] == reported
    assert bool(collect_losses(facts, [])) != reported
