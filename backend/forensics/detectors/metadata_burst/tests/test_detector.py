"""Each limit from both sides, and what the finding says."""

from __future__ import annotations

import pytest

from backend.forensics.detection.contract import Detection
from backend.forensics.detectors.metadata_burst.detector import detect
from backend.forensics.detectors.metadata_burst.thresholds import Thresholds
from backend.forensics.evidence.facts import gather_facts
from backend.forensics.report import FindingPart
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


def _judge(http: HttpBuilder, thresholds: Thresholds | None = None) -> Detection:
    facts = gather_facts([http.build()], [])
    return detect(facts, thresholds) if thresholds else detect(facts)


def _finding(http: HttpBuilder, thresholds: Thresholds | None = None) -> FindingPart:
    [finding] = _judge(http, thresholds).findings
    return finding


def _storm(
    requests: int, *, refreshing: int, took_ms: float = 70, left_s: float = 900, keeps_open: bool = True
) -> HttpBuilder:
    """`refreshing` of the requests fetch credentials, the first among them, on one connection or each on its own."""
    http = HttpBuilder()
    for n in range(requests):
        at_ms = 100 + 500 * n + n * 7 % 11
        serve(http, n, at_ms, took_ms)
        if n < refreshing:
            caller = f"{POD}:{40_000 if keeps_open else 40_000 + n}"
            load_credentials(http, at_ms + 1.2, left_s=left_s, caller=caller)
    return http


def test_without_packets_nothing_can_be_checked() -> None:
    assert detect(gather_facts([], [])).status == "not-checkable"


def test_without_calls_it_is_clear() -> None:
    assert _judge(_storm(5, refreshing=0)).status == "clear"


@pytest.mark.parametrize(("refreshing", "severity"), [(3, "info"), (4, "warning")])
def test_three_refreshes_after_the_first_load_are_notable(refreshing: int, severity: str) -> None:
    assert _finding(_storm(40, refreshing=refreshing)).severity == severity


@pytest.mark.parametrize(("left_s", "severity"), [(5.9, "info"), (6.1, "critical")])
def test_refreshes_are_notable_beyond_three_times_the_need(left_s: float, severity: str) -> None:
    # 12 refreshes in 18 s: needed are 1 + 18 / lifetime.
    limits = Thresholds(notable_calls_in_requests=99)
    http = _storm(37, refreshing=12, left_s=left_s)
    assert _finding(http, limits).severity == severity


@pytest.mark.parametrize(("factor", "severity"), [(0.99, "info"), (1.01, "critical")])
def test_calls_that_meet_requests_by_chance_are_silent(factor: float, severity: str) -> None:
    http = _storm(40, refreshing=12, keeps_open=False)
    p_value = gather_facts([http.build()], []).metadata_patterns[0].refresh_chance_p
    assert 0 < p_value < 0.001
    assert _finding(http, Thresholds(significant_p=p_value * factor)).severity == severity


def _lookups(requests: int, *, took_ms: float) -> HttpBuilder:
    """Each of the first requests asks for the instance's id; 100 ms each."""
    http = HttpBuilder()
    for n in range(60):
        serve(http, n, 100 + 700 * n, 100)
        if n < requests:
            http.exchange(
                101 + 700 * n, f"{POD}:40000", IMDS, "GET /latest/meta-data/instance-id", took_ms=took_ms
            )
    return http


@pytest.mark.parametrize(("requests", "severity"), [(4, "info"), (5, "warning")])
def test_other_calls_are_notable_in_five_requests(requests: int, severity: str) -> None:
    assert _finding(_lookups(requests, took_ms=20)).severity == severity


@pytest.mark.parametrize(("took_ms", "severity"), [(9.9, "info"), (10.1, "warning")])
def test_other_calls_are_notable_from_a_tenth_of_the_time(took_ms: float, severity: str) -> None:
    assert _finding(_lookups(20, took_ms=took_ms)).severity == severity


@pytest.mark.parametrize(("loads", "severity"), [(9, "info"), (10, "warning")])
def test_refreshes_without_served_requests_are_notable_on_one_connection(loads: int, severity: str) -> None:
    http = HttpBuilder()
    for n in range(loads):
        load_credentials(http, 100 + 400 * n)
    assert _finding(http).severity == severity


def test_loads_of_many_processes_are_no_storm() -> None:
    http = HttpBuilder()
    for n in range(30):
        load_credentials(http, 100 + 400 * n, caller=f"{POD}:{40_000 + n}")
    assert _finding(http).severity == "info"


@pytest.mark.parametrize(("period_ms", "severity"), [(4_900, "warning"), (5_000, "info")])
def test_refreshes_five_seconds_apart_may_be_a_poller(period_ms: float, severity: str) -> None:
    http = HttpBuilder()
    for n in range(14):
        load_credentials(http, 100 + period_ms * n)
    assert _finding(http).severity == severity


@pytest.mark.parametrize(
    ("took_ms", "calls", "severity"), [(499, 2, "info"), (500, 2, "warning"), (500, 1, "info")]
)
def test_two_calls_of_half_a_second_are_notable(took_ms: float, calls: int, severity: str) -> None:
    http = HttpBuilder()
    for n in range(calls):
        load_credentials(http, 100 + 30_000 * n, left_s=21_600, took_ms=1)
        http.exchange(5_000 + 30_000 * n, f"{POD}:40000", IMDS, "GET /latest/user-data", took_ms=took_ms)
    assert _finding(http).severity == severity


@pytest.mark.parametrize(("later_ms", "unanswered"), [(990, 0), (1_010, 2)])
def test_a_call_is_unanswered_when_the_capture_goes_on_for_a_second(later_ms: float, unanswered: int) -> None:
    http = HttpBuilder()
    for n in range(2):
        http.exchange(100, f"{POD}:{40_000 + n}", IMDS, TOKEN, took_ms=None)
    http.lasts_until(100 + later_ms)
    finding = _finding(http)
    assert finding.measures["unanswered"] == unanswered
    assert finding.severity == ("warning" if unanswered else "info")


@pytest.mark.parametrize(("refreshing", "severity"), [(9, "warning"), (10, "critical")])
def test_most_of_the_time_of_ten_requests_is_critical(refreshing: int, severity: str) -> None:
    assert _finding(_storm(40, refreshing=refreshing)).severity == severity


@pytest.mark.parametrize(("took_ms", "severity"), [(99, "critical"), (101, "warning")])
def test_half_of_the_time_is_critical(took_ms: float, severity: str) -> None:
    assert _finding(_storm(40, refreshing=20, took_ms=took_ms)).severity == severity  # calls take 50 ms


def test_the_measures_of_a_storm() -> None:
    finding = _finding(_storm(20, refreshing=15))
    expected = {
        "calls_by_path_kind": {"credentials": 15, "role": 15},
        "served_requests": 20,
        "served_requests_with_calls": 15,
        "calls_per_request": 2.0,
        "metadata_time_s": 0.75,
        "credential_lifetime_s": 900.0,
        "sdk": "botocore 1.12.253",
        "sdk_refresh_window_s": 900,
        "refreshes_while_valid": 14,
    }
    assert {name: finding.measures[name] for name in expected} == expected
    assert finding.measures["share_of_service_time_ratio"] == pytest.approx(50 / 70, abs=0.001)
    assert (finding.count, finding.time_lost_s) == (30, 0.7)  # the first load is needed


def test_events_marks_and_tables_show_each_request() -> None:
    finding = _finding(_storm(20, refreshing=15))
    assert [event["calls"] for event in finding.events] == [2] * 15
    assert {(m.glyph, m.role, m.value) for m in finding.marks} == {("bracket", "burst", 2.0)}
    assert [len(m.evidence[0].frames) for m in finding.marks] == [4] * 15
    requests, calls = finding.tables
    assert (len(requests.rows), requests.rows_total, len(calls.rows)) == (20, 20, 30)
    assert [row[4] for row in requests.rows] == [2] * 15 + [0] * 5
    assert [row[6] for row in calls.rows] == [n for n in range(1, 16) for _ in range(2)]


def test_tables_and_marks_end_at_the_limit() -> None:
    limits = Thresholds(rows_most=10)
    finding = _finding(_storm(20, refreshing=15), limits)
    requests, calls = finding.tables
    assert (len(requests.rows), requests.rows_total, len(calls.rows), calls.rows_total) == (10, 20, 10, 30)
    assert (len(finding.marks), len(finding.events)) == (10, 10)


def test_callers_beyond_the_limit_are_counted_only() -> None:
    http = HttpBuilder()
    for n in range(5):
        load_credentials(http, 100 + n, caller=f"10.1.0.{n + 1}:40000")
    detection = _judge(http, Thresholds(findings_most=3))
    assert len(detection.findings) == 3
    assert detection.why.startswith("10 metadata calls by 5 callers")


def test_a_refresh_shared_by_overlapping_requests_counts_once() -> None:
    http = HttpBuilder()
    for n in range(40):
        serve(http, n, 100 + 250 * (n // 2) + n % 2, 80)
        if n % 2:
            load_credentials(http, 103 + 250 * (n // 2))
    finding = _finding(http)
    assert finding.measures["served_requests_with_calls"] == 40
    assert finding.measures["calls_per_request"] == 1.0
    assert finding.severity == "critical"


def test_a_lifetime_is_measured_from_the_date_header_where_there_is_one() -> None:
    http = HttpBuilder()
    date_s = expires(0, 0) // 1_000_000_000 - 3_600  # the issuer's clock is an hour behind
    until_ns = (date_s + 1_800) * 1_000_000_000
    http.exchange(100, f"{POD}:40000", IMDS, CREDENTIALS, took_ms=3, date_s=date_s, expiration_ns=until_ns)
    assert _finding(http).measures["credential_lifetime_s"] == 1_800.0


def test_tokens_of_other_clouds_tell_their_lifetime() -> None:
    http = HttpBuilder()
    line = "GET /computeMetadata/v1/instance/service-accounts/default/token"
    http.exchange(100, f"{POD}:40000", IMDS, line, took_ms=3, expires_in_s=3_599)
    finding = _finding(http)
    assert finding.measures["credential_lifetime_s"] == 3_599.0
    assert finding.measures["calls_by_path_kind"] == {"credentials": 1}


@pytest.mark.parametrize(
    ("left_s", "share"),
    [
        ((900, 900, 900), 1.0),
        ((903, 903, 903), 0.0),
        ((1_800, 1_800, 300), 0.4),
        ((3_600, 3_600, 300), 0.1818),
    ],
)
def test_the_share_of_time_in_a_storm(left_s: tuple[int, ...], share: float) -> None:
    """The figures of an issuer with sessions of 30 and 60 min that are renewed 5 min before they end."""
    http = HttpBuilder()
    for n, left in enumerate(left_s):
        load_credentials(http, 100 + 60_000 * n, left_s=left)
    assert _finding(http).measures["storm_share_ratio"] == share
