"""A slow metadata service is named, refuted and left open."""

from __future__ import annotations

import pytest

from backend.forensics.detectors.metadata_burst.detector import detect
from backend.forensics.diagnosis.causes.metadata_slow import assess
from backend.forensics.diagnosis.contract import Hypothesis, conclude, weigh
from backend.forensics.evidence.facts import gather_facts
from backend.forensics.tests.build_http import (
    CREDENTIALS,
    IMDS,
    POD,
    TOKEN,
    HttpBuilder,
    expires,
    load_credentials,
    serve,
)


def _assess(http: HttpBuilder) -> list[Hypothesis]:
    facts = gather_facts([http.build()], [])
    return assess(facts, detect(facts).cases)


def _slow_calls(took_ms: float, *, status: int = 200) -> HttpBuilder:
    http = HttpBuilder()
    for n in range(3):
        at_ms = 100 + 900_000 * n
        serve(http, n, at_ms, took_ms + 20)
        http.exchange(
            at_ms + 1, f"{POD}:40000", IMDS, CREDENTIALS, took_ms=took_ms, status=status,
            expiration_ns=expires(at_ms + took_ms, 900),
        )  # fmt: skip
    return http


def test_few_calls_of_a_second_each_are_a_slow_service() -> None:
    [hypothesis] = _assess(_slow_calls(1_200))
    diagnosis = conclude(hypothesis)
    assert diagnosis.verdict == "likely"
    assert diagnosis.statement == ("Of 3 metadata calls by 10.1.0.7 3 took 0.5 s or longer (up to 1,200 ms).")
    assert {r.cause: r.status for r in diagnosis.rivals}["credential-refresh-storm"] == "ruled-out"
    assert diagnosis.time_lost_s == 3.6


@pytest.mark.parametrize(("status", "verdicts"), [(503, {"likely"}), (429, {"likely"})])
def test_calls_that_fail_are_a_sign_of_their_own(status: int, verdicts: set[str]) -> None:
    [hypothesis] = _assess(_slow_calls(700, status=status))
    assert weigh(hypothesis)[1] in verdicts
    assert any("429 or 5xx" in piece.text for piece in hypothesis.weighed)


def test_a_storm_of_slow_calls_is_a_storm() -> None:
    http = HttpBuilder()
    for n in range(20):
        serve(http, n, 100 + 2_000 * n, 1_300)
        load_credentials(http, 101 + 2_000 * n, took_ms=600)
    [hypothesis] = _assess(http)
    assert weigh(hypothesis)[1] in ("possible", "cannot-tell")
    assert hypothesis.time_lost_s == 0.0  # the storm has it
    assert [r.status for r in hypothesis.rivals if r.cause == "credential-refresh-storm"] == ["possible"]


def test_unanswered_tokens_alone_refute_it() -> None:
    http = HttpBuilder()
    for n in range(3):
        http.exchange(100 + 20_000 * n, f"{POD}:{41_000 + n}", IMDS, TOKEN, took_ms=None)
        load_credentials(http, 1_102 + 20_000 * n, caller=f"{POD}:{42_000 + n}", left_s=21_600)
    [hypothesis] = _assess(http)
    assert weigh(hypothesis)[1] == "cannot-tell"


def test_silence_of_every_call_is_left_open() -> None:
    http = HttpBuilder()
    for n in range(3):
        http.exchange(100 + 20_000 * n, f"{POD}:{41_000 + n}", IMDS, CREDENTIALS, took_ms=None)
    http.lasts_until(70_000)
    [hypothesis] = _assess(http)
    assert weigh(hypothesis)[1] in ("possible", "cannot-tell")
    assert "linklocal_allowance_exceeded" in conclude(hypothesis).missing[0].command


def test_fast_calls_are_nothing_to_explain() -> None:
    http = HttpBuilder()
    load_credentials(http, 100)
    assert _assess(http) == []
