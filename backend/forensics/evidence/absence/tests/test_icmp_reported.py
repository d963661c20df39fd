"""What answers a SYN, other than a SYN-ACK; and which loss made an attempt wait."""

from __future__ import annotations

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
