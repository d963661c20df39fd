"""Both sides of each threshold of `token-service-calls`."""

from __future__ import annotations

from dataclasses import replace

import pytest

from backend.forensics.cases.token_service_calls import TokenServiceCalls
from backend.forensics.detectors.token_service_calls.detector import detect
from backend.forensics.detectors.token_service_calls.tests.build_calls import (
    background_refresh,
    calling_server,
)
from backend.forensics.detectors.token_service_calls.thresholds import DEFAULT
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.requests.token_calls import GLOBAL_ENDPOINT


def _found(facts: Facts, **limits: float) -> list[TokenServiceCalls]:
    cases = detect(facts, replace(DEFAULT, **limits)).cases  # type: ignore[arg-type]
    assert all(isinstance(case, TokenServiceCalls) for case in cases)
    return list(cases)  # type: ignore[arg-type]


def test_calls_are_measured_from_the_syn_to_the_last_data() -> None:
    (case,) = _found(calling_server(requests=6, calls_every=1))
    assert (case.count, case.served_requests, case.served_requests_with_calls) == (6, 6, 6)
    # The SYN is 1 ms before the ClientHello; two turns of 90 ms, 1 ms apart.
    assert case.call_median_ms == pytest.approx(182.0, abs=0.1)
    assert case.request_with_call_median_ms == pytest.approx(196.0, abs=0.1)
    assert case.share_of_service_time_ratio == pytest.approx(182 / 196, abs=0.001)
    assert case.time_lost_s == pytest.approx(5 * 0.182, abs=0.001)
    assert case.service == GLOBAL_ENDPOINT
    assert case.severity == "critical"


@pytest.mark.parametrize(("requests", "count"), [(3, 0), (4, 1)])
def test_so_many_requests_have_calls(requests: int, count: int) -> None:
    assert len(_found(calling_server(requests=requests, calls_every=1), significant_p=0.05)) == count


@pytest.mark.parametrize(("round_trip_ms", "count"), [(23.9, 0), (24.1, 1)])
def test_a_call_takes_so_long(round_trip_ms: float, count: int) -> None:
    assert len(_found(calling_server(requests=8, calls_every=1, round_trip_ms=round_trip_ms))) == count


@pytest.mark.parametrize(("own_ms", "count"), [(1_500.0, 1), (1_700.0, 0)])
def test_a_call_takes_such_a_share(own_ms: float, count: int) -> None:
    facts = calling_server(requests=8, calls_every=1, own_ms=own_ms)
    assert len(_found(facts, significant_p=1.0)) == count


def test_half_of_the_request_is_critical() -> None:
    (case,) = _found(calling_server(requests=8, calls_every=1, own_ms=200.0))
    assert case.severity == "warning"


def test_calls_that_meet_requests_by_chance_are_none() -> None:
    assert not _found(background_refresh())
    assert _found(background_refresh(), significant_p=1.0)


@pytest.mark.parametrize(
    ("name", "service"),
    [
        ("STS.eu-central-1.amazonaws.com", "AWS STS"),
        ("sts.cn-north-1.amazonaws.com.cn", "AWS STS"),
        ("vpce-0abc-def.sts.us-east-1.vpce.amazonaws.com", "AWS STS"),
        ("sts.googleapis.com", "Google's token service"),
        ("oauth2.googleapis.com.", "Google's token service"),
        ("login.microsoftonline.com", "Microsoft Entra ID"),
        ("westeurope.login.microsoft.com", "Microsoft Entra ID"),
        ("sts.cn-hangzhou.aliyuncs.com", "Alibaba STS"),
        ("sts.amazonaws.com.example.org", None),
        ("hosts.amazonaws.com", None),
        ("s3.eu-central-1.amazonaws.com", None),
        ("storage.googleapis.com", None),
        ("login.example.com", None),
    ],
)
def test_a_service_is_known_by_its_name(name: str, service: str | None) -> None:
    found = _found(calling_server(requests=6, calls_every=1, name=name))
    assert [case.service for case in found] == ([service] if service else [])
