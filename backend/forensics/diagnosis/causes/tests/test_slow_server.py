"""A slow application: what shows it, what refutes it, what cannot be told."""

from __future__ import annotations

import pytest

from backend.forensics.detection.run import run_detectors
from backend.forensics.diagnosis.causes.slow_server import CAUSE
from backend.forensics.diagnosis.run import diagnose
from backend.forensics.dumps import CounterRow, Dump
from backend.forensics.evidence.facts import gather_facts
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.report import DiagnosisPart
from backend.forensics.tests.build_capture import Hop, plain_path
from backend.forensics.tests.build_http import HttpBuilder

SERVER = "10.1.0.7:80"


def diagnoses(http: HttpBuilder, *dumps: DumpInput) -> dict[str, DiagnosisPart]:
    facts = gather_facts([http.build()], list(dumps))
    detected = run_detectors(facts)
    return {d.cause: d for d in diagnose(facts, detected.cases).diagnoses}


def spell(
    http: HttpBuilder, *, late: tuple[int, ...] = tuple(range(30, 42)), clients: int = 1, ack_ms: float = 0.1
) -> HttpBuilder:
    """72 requests, 5 s apart; these were answered after 2 s instead of 3 ms."""
    for n in range(72):
        client = f"10.2.0.{n % clients + 1}:{20_000 + n}"
        hops: list[Hop] | None = plain_path(client, SERVER, *http.packets.places)
        http.exchange(
            100 + 5_000 * n, client, SERVER, "GET /users", hops=hops,
            took_ms=2_000 if n in late else 3, acknowledged_ms=ack_ms,
        )  # fmt: skip
    return http


def test_a_spell_of_late_answers_to_requests_that_it_had_at_once_is_the_server() -> None:
    found = diagnoses(spell(HttpBuilder(), clients=3))[CAUSE]
    assert found.verdict == "likely"
    assert found.statement == (
        "10.1.0.7:80 had 12 requests without network delay and answered them after 2,000 ms (median) "
        "instead of 3.00 ms."
    )
    assert {r.cause: r.status for r in found.rivals}["receive-queue-stall"] == "ruled-out"
    assert all(r.check and r.proof and r.undo and r.side_effect for r in found.remedies)


def test_seen_at_the_server_it_is_surer() -> None:
    far = diagnoses(spell(HttpBuilder()))[CAUSE]
    near = diagnoses(spell(HttpBuilder(places=("veth", "server"))))[CAUSE]
    assert near.confidence > far.confidence
    assert any("nearest to the server" in text for text in near.supporting)


def cpu_stat(throttled: int) -> list[DumpInput]:
    """cpu.stat of the server's host before and after 100 periods."""
    return [
        DumpInput(
            f"cpu-{number}",
            None,
            Dump("cpu-stat", 1, (), 10**18 + number, "text", counters=(CounterRow(1, 0, counters),)),
        )
        for number, counters in enumerate(
            ({"nr_periods": 10, "nr_throttled": 3}, {"nr_periods": 110, "nr_throttled": 3 + throttled})
        )
    ]


@pytest.mark.parametrize(("throttled", "status"), [(50, "possible"), (4, "possible"), (0, "ruled-out")])
def test_a_process_that_its_quota_throttled_is_not_slow_by_itself(throttled: int, status: str) -> None:
    found = diagnoses(spell(HttpBuilder(), clients=3), *cpu_stat(throttled))
    [quota] = [rival for rival in found[CAUSE].rivals if rival.cause == "cpu-quota-throttling"]
    assert (quota.status, quota.command) == (status, None)
    assert (found[CAUSE].confidence < 0.5) == (throttled == 50)
    assert ("cpu-quota-throttling" in found and found["cpu-quota-throttling"].confidence > 0.5) == (
        throttled == 50
    )
    assert not any("cpu.stat" in missing.command for missing in found[CAUSE].missing)


def test_nearly_every_answer_is_late_where_a_quota_stops_the_process_most_of_the_time() -> None:
    mostly = spell(HttpBuilder(), late=tuple(range(6, 72)), clients=3)
    assert diagnoses(mostly, *cpu_stat(80))["cpu-quota-throttling"].confidence > 0.5
    assert not {CAUSE, "cpu-quota-throttling"} & diagnoses(mostly, *cpu_stat(40)).keys()


def test_what_it_asked_others_meanwhile_refutes_it() -> None:
    http = spell(HttpBuilder())
    for n in range(30, 42):
        http.exchange(101 + 5_000 * n, f"10.1.0.7:{30_000 + n}", "10.3.0.1:9200", "POST /find", took_ms=1_990)
    found = diagnoses(http)[CAUSE]
    assert found.verdict == "cannot-tell"
    assert any("upstream calls 10" in text or "upstream calls 9" in text for text in found.contradicting)


def test_its_own_work_supports_it() -> None:
    http = spell(HttpBuilder())
    for n in range(30, 42):
        http.exchange(101 + 5_000 * n, f"10.1.0.7:{30_000 + n}", "10.3.0.1:9200", "POST /find", took_ms=2)
    assert any("upstream calls 0" in text for text in diagnoses(http)[CAUSE].supporting)


def test_late_answers_here_and_there_are_even_odds_at_most() -> None:
    found = diagnoses(spell(HttpBuilder(), late=tuple(range(2, 72, 9)), clients=3))[CAUSE]
    assert found.verdict == "possible"
    assert found.confidence <= 0.5
    assert {r.cause: r.status for r in found.rivals}["path-loss"] == "cannot-tell"


def test_a_server_that_is_always_as_slow_is_not_accused() -> None:
    assert CAUSE not in diagnoses(spell(HttpBuilder(), late=tuple(range(72))))


def test_requests_that_are_acknowledged_late_are_not_the_application_s() -> None:
    assert CAUSE not in diagnoses(spell(HttpBuilder(), ack_ms=1_999))
