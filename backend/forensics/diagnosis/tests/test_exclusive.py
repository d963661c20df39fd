"""Of causes that exclude each other for one connection at most one has even odds or more."""

from __future__ import annotations

import itertools

import pytest

from backend.forensics.detection.run import run_detectors
from backend.forensics.diagnosis.account import Settled, settle
from backend.forensics.diagnosis.causes.tests.build_losses import SERVER, Losses, add_data, nstat, report
from backend.forensics.diagnosis.contract import Hypothesis, Weighed, weigh
from backend.forensics.diagnosis.exclusive import LOSES_A_SYN, SUPPORTED_FROM, yield_to_stronger
from backend.forensics.diagnosis.run import discover_causes
from backend.forensics.diagnosis.tests.test_evidence_removed import SAMPLES
from backend.forensics.findings import frame_evidence
from backend.forensics.report import Role


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_no_connection_has_two_exclusive_causes(name: str) -> None:
    facts = SAMPLES[name]()
    detected = run_detectors(facts)
    hypotheses = [h for _, assess in discover_causes() for h in assess(facts, detected.cases)]
    settled = yield_to_stronger(settle(facts, hypotheses)[0])
    sure = [
        each.hypothesis
        for each in settled
        if each.hypothesis.cause in LOSES_A_SYN and weigh(each.hypothesis)[0] >= SUPPORTED_FROM
    ]
    for one, other in itertools.combinations(sure, 2):
        assert one.cause == other.cause or not set(one.attempts) & set(other.attempts)


def test_the_weaker_of_two_yields() -> None:
    """Data is lost as often as SYNs, and the listener's counters rise, too."""
    capture = add_data(Losses().usual(SERVER, 72).late(SERVER, 8).build(), 400, 40)
    found = report([capture], *nstat(TcpExtListenOverflows=8, TcpExtListenDrops=8)).diagnoses
    assert sum(d.cause in LOSES_A_SYN and d.confidence >= SUPPORTED_FROM for d in found) == 1


@pytest.mark.parametrize(("lost", "known"), [(1, False), (8, True)])
def test_one_lost_syn_is_one_line(lost: int, known: bool) -> None:
    capture = Losses("eth0").usual(SERVER, 40).late(SERVER, lost).build()
    said = [d.statement for d in report([capture]).diagnoses]
    assert ("One SYN was lost; the cause cannot be determined." in said) != known
    assert known or len(said) == 1


def _of_packets(cause: str, weight: float, frames: range, role: Role) -> Settled:
    explains = frozenset(("a.pcap", frame) for frame in frames)
    pieces = (Weighed(weight, "seen", frame_evidence(explains), "r"),)
    made = Hypothesis(
        cause, cause, role, "s", 0.0, (), pieces, False, False, 0, ("f",), 1.0, explains=explains
    )
    return Settled(made, frozenset())


@pytest.mark.parametrize(
    ("role", "frames", "yields"),
    [
        ("loss", range(10, 20), False),
        ("loss", range(9, 19), True),
        ("stall", range(5, 15), False),
        ("stall", range(4, 14), True),
    ],
)
def test_a_packet_has_one_cause(role: Role, frames: range, yields: bool) -> None:
    """A lost one strictly; causes of delay share a few."""
    given = [_of_packets("first", 3.0, range(10), role), _of_packets("second", 2.0, frames, role)]
    stronger, weaker = yield_to_stronger(given)
    assert weigh(stronger.hypothesis)[0] >= SUPPORTED_FROM
    assert (weigh(weaker.hypothesis)[0] < SUPPORTED_FROM) == yields


def test_one_cause_may_explain_a_packet_twice() -> None:
    given = [_of_packets("same", 3.0, range(10), "loss"), _of_packets("same", 2.0, range(10), "loss")]
    assert yield_to_stronger(given) == given
