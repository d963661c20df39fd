"""The storm is confirmed, refuted and left open by what the packets show."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from backend.forensics.captures import Capture
from backend.forensics.detectors.metadata_burst.detector import detect
from backend.forensics.diagnosis.causes.credential_refresh_storm import assess
from backend.forensics.diagnosis.contract import Hypothesis, conclude, weigh
from backend.forensics.evidence.facts import gather_facts
from backend.forensics.report import DiagnosisPart
from backend.forensics.tests.build_http import (
    IMDS,
    OLD_BOTOCORE,
    POD,
    TOKEN,
    HttpBuilder,
    expires,
    load_credentials,
    serve,
)


def _assess(captures: Sequence[Capture]) -> list[Hypothesis]:
    facts = gather_facts(captures, [])
    return assess(facts, detect(facts).cases)


def _storm(*, left_s: float | None = 900, agent: str = OLD_BOTOCORE, requests: int = 30) -> HttpBuilder:
    http = HttpBuilder()
    for n in range(requests):
        serve(http, n, 100 + 180 * n, 70)
        load_credentials(http, 101.2 + 180 * n, left_s=left_s, agent=agent)
    return http


def _diagnosis(http: HttpBuilder) -> DiagnosisPart:
    [hypothesis] = _assess([http.build()])
    return conclude(hypothesis)


def test_a_refresh_at_every_request_is_a_storm() -> None:
    diagnosis = _diagnosis(_storm())
    assert (diagnosis.verdict, diagnosis.confidence) == ("likely", 0.89)
    assert diagnosis.statement == (
        "30 of 30 requests waited for a credential refresh: the credentials had 900 s left, "
        "and the SDK refreshes below 900 s."
    )
    assert {rival.status for rival in diagnosis.rivals} == {"ruled-out"}
    assert diagnosis.remedies[0].command == "kiam server --session-duration=60m --session-refresh=20m"
    assert not diagnosis.contradicting


def test_an_endpoint_of_containers_is_no_agent_of_the_node() -> None:
    http = HttpBuilder()
    for n in range(30):
        serve(http, n, 100 + 180 * n, 70)
        at_ms = 101.2 + 180 * n
        http.exchange(
            at_ms, f"{POD}:40000", "169.254.170.2:80", "GET /v2/credentials/1", took_ms=50,
            expiration_ns=expires(at_ms + 50, 900),
        )  # fmt: skip
    diagnosis = _diagnosis(http)
    assert diagnosis.verdict == "likely"
    assert "kiam" not in str(diagnosis.remedies[0])


def test_a_statement_is_short_also_with_large_numbers() -> None:
    http = _storm(requests=1_200)
    assert len(_diagnosis(http).statement) <= 160


def test_credentials_that_run_out_have_to_be_fetched() -> None:
    http = HttpBuilder()
    for n in range(30):
        serve(http, n, 100 + 6_000 * n, 70)
        load_credentials(http, 101.2 + 6_000 * n, left_s=5)
    [hypothesis] = _assess([http.build()])
    assert weigh(hypothesis)[1] == "cannot-tell"
    assert any(
        "while the previous credentials" in piece.text and piece.weight < 0 for piece in hypothesis.weighed
    )


@pytest.mark.parametrize(
    ("agent", "left_s", "contradicted"),
    [
        (OLD_BOTOCORE, 902.0, False),
        (OLD_BOTOCORE, 903.0, True),
        ("aws-sdk-go/1.44.1 (go1.19; linux)", 15.0, True),
        ("python-urllib3/2.8.0", 902.0, False),
        ("python-urllib3/2.8.0", 903.0, True),
    ],
)
def test_the_window_of_the_sdk_speaks_for_or_against(agent: str, left_s: float, contradicted: bool) -> None:
    [hypothesis] = _assess([_storm(agent=agent, left_s=max(left_s, 100)).build()])
    assert any("returned with" in p.text and p.weight < 0 for p in hypothesis.weighed) == contradicted


def test_a_lifetime_beyond_the_window_points_at_a_provider_per_request() -> None:
    diagnosis = _diagnosis(_storm(left_s=21_600))
    assert "one credentials provider" in diagnosis.remedies[0].what
    assert diagnosis.contradicting


def test_without_the_answers_it_stays_open() -> None:
    """A snap length that cuts `Expiration` off: how long the credentials are valid is not known."""
    diagnosis = _diagnosis(_storm(left_s=None))
    assert diagnosis.verdict in ("possible", "likely")
    assert "tcpdump" in diagnosis.missing[0].command


def test_a_poller_on_its_own_clock_refutes_it() -> None:
    http = HttpBuilder()
    for n in range(60):
        serve(http, n, 100 + 180 * n, 60)
    for n in range(30):
        load_credentials(http, 130 + 331.7 * n, left_s=21_600, took_ms=2)
    [hypothesis] = _assess([http.build()])
    assert weigh(hypothesis)[1] == "cannot-tell"
    assert any("timer of their own" in piece.text and piece.weight < 0 for piece in hypothesis.weighed)


def test_unanswered_tokens_leave_a_rival() -> None:
    http = _storm()
    for n in range(3):
        http.exchange(6_000 + n * 1_500, f"{POD}:{50_000 + n}", IMDS, TOKEN, took_ms=None)
    http.lasts_until(15_000)
    diagnosis = _diagnosis(http)
    assert diagnosis.verdict == "possible"
    assert [r.cause for r in diagnosis.rivals if r.status == "possible"] == ["metadata-hop-limit"]


def test_a_first_load_is_nothing_to_explain() -> None:
    http = HttpBuilder()
    serve(http, 0, 100, 70)
    load_credentials(http, 101.2)
    assert _assess([http.build()]) == []
