"""How many packets are too many, where the limit exists, and what the driver counts."""

from __future__ import annotations

import pytest

from backend.forensics.detection.contract import Detection
from backend.forensics.detectors.link_local_budget.detector import COUNTER, detect
from backend.forensics.dumps import CounterRow, Dump
from backend.forensics.evidence.facts import gather_facts
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.tests.build_anomalies import StumbleBuilder
from backend.forensics.tests.build_capture import MS, T0_NS, S
from backend.forensics.tests.build_http import CREDENTIALS, IMDS, POD, TOKEN, HttpBuilder


def found(flows: list[tuple[str, int, int, int]], counter: tuple[int, int] | None = None) -> Detection:
    """`flows` are (server, packets, begin in ms, length in ms); `counter` before and after."""
    capture = StumbleBuilder()
    for n, (server, packets, begin, length) in enumerate(flows):
        begin_ns = T0_NS + begin * MS
        capture.connection(
            f"10.0.0.1:{1_024 + n}", server, protocol=17, syns=0, first_frame=n + 1, client_packets=packets,
            server_packets=0, first_ns=begin_ns, last_ns=begin_ns + length * MS,
        )  # fmt: skip
    dumps = []
    for n, value in enumerate(counter or ()):
        rows = (CounterRow(2, None, {COUNTER: value}),)
        dump = Dump("ethtool-stats", 2, (), T0_NS + n * S, "text", counters=rows)
        dumps.append(DumpInput(f"{n}.txt", None, dump))
    return detect(gather_facts([capture.build()], dumps))


RESOLVER = "169.254.169.253:53"


@pytest.mark.parametrize(
    ("packets", "severity"), [(819, None), (820, "info"), (1_023, "info"), (1_024, "warning")]
)
def test_the_budget_is_that_of_a_second(packets: int, severity: str | None) -> None:
    findings = found([(RESOLVER, packets, 0, 10)]).findings
    assert [f.severity for f in findings] == ([severity] if severity else [])


def test_services_share_it_and_seconds_do_not() -> None:
    both = found([(RESOLVER, 700, 0, 10), ("169.254.169.123:123", 400, 500, 10)])
    assert both.findings[0].measures["packets_per_s_max"] == 1_100
    assert found([(RESOLVER, 700, 0, 10), (RESOLVER, 400, 1_500, 10)]).findings == ()


def test_a_long_flow_is_spread_over_its_time() -> None:
    assert found([(RESOLVER, 3_000, 0, 3_999)]).findings == ()
    (finding,) = found([(RESOLVER, 4_400, 0, 3_999)]).findings
    assert (finding.severity, finding.count) == ("warning", 4)


def test_the_shared_address_counts_where_something_says_aws() -> None:
    flows = [("169.254.169.254:80", 1_500, 0, 10)]
    assert found(flows).status == "clear"
    assert found(flows, (0, 0)).status == "found"
    assert found([*flows, (RESOLVER, 1, 0, 1)]).status == "found"


@pytest.mark.parametrize(("line", "aws"), [(TOKEN, True), (CREDENTIALS, False)])
def test_a_token_of_the_metadata_service_says_aws(line: str, aws: bool) -> None:
    http = HttpBuilder()
    http.exchange(100, f"{POD}:20000", IMDS, line)
    capture = http.build()
    capture.connections["client_packets"] = 2_000
    assert (detect(gather_facts([capture], [])).status == "found") == aws


@pytest.mark.parametrize(("after", "count"), [(5, 0), (6, 1)])
def test_the_driver_s_counter_is_proof_by_itself(after: int, count: int) -> None:
    findings = found([(RESOLVER, 3, 0, 1)], (5, after)).findings
    assert len(findings) == count
    assert all(f.severity == "warning" and f.evidence[0].lines == [2] for f in findings)


def test_without_packets_and_counter_nothing_can_be_checked() -> None:
    assert detect(gather_facts([], [])).status == "not-checkable"
