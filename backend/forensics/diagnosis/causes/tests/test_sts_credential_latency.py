"""What makes `sts-credential-latency` surer, what takes it away."""

from __future__ import annotations

from backend.forensics.detectors.token_service_calls.detector import detect
from backend.forensics.detectors.token_service_calls.tests.build_calls import (
    background_refresh,
    calling_server,
)
from backend.forensics.diagnosis.causes.sts_credential_latency import assess
from backend.forensics.diagnosis.contract import Hypothesis, weigh
from backend.forensics.evidence.facts import Facts


def _hypothesis(facts: Facts) -> Hypothesis:
    (hypothesis,) = assess(facts, detect(facts).cases)
    return hypothesis


def test_a_call_in_each_request_to_a_far_region_is_named() -> None:
    hypothesis = _hypothesis(calling_server(requests=12, calls_every=1))
    confidence, verdict = weigh(hypothesis)
    assert verdict == "likely"
    assert confidence >= 0.8
    assert hypothesis.statement == (
        "12 of 12 requests waited for AWS STS, global endpoint: a call takes 182 ms (median)."
    )
    assert hypothesis.remedies[0].what == "Ask the regional STS endpoint"


def test_quick_requests_without_a_call_make_it_surer() -> None:
    alone = weigh(_hypothesis(calling_server(requests=12, calls_every=1)))[0]
    assert weigh(_hypothesis(calling_server(requests=24, calls_every=2)))[0] > alone


def test_requests_without_a_call_that_are_as_slow_speak_against_it() -> None:
    hypothesis = _hypothesis(calling_server(requests=24, calls_every=2, own_ms=900.0))
    assert any(piece.weight < 0 for piece in hypothesis.weighed)
    assert weigh(hypothesis)[0] < 0.5


def test_a_near_service_is_less_sure_and_has_no_far_round_trip() -> None:
    near = _hypothesis(
        calling_server(requests=12, calls_every=1, round_trip_ms=40.0, name="sts.eu-central-1.amazonaws.com")
    )
    assert not any("round trip" in piece.text for piece in near.weighed)
    assert near.remedies[0].what.startswith("Make the SDK")


def test_a_background_refresh_is_none() -> None:
    facts = background_refresh()
    assert assess(facts, detect(facts).cases) == []
