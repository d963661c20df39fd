"""Pressure is a share of the limit, a complaint of the kernel, or a forecast."""

from __future__ import annotations

import pytest

from backend.forensics.detection.contract import Detection
from backend.forensics.detectors.conntrack_pressure.detector import detect
from backend.forensics.dumps import CounterRow, Dump, KernelMessage, Setting
from backend.forensics.evidence.facts import gather_facts
from backend.forensics.evidence.kernel.counters import DumpInput

T0_NS = 1_700_000_000_000_000_000
COUNT, MAX = "net.netfilter.nf_conntrack_count", "net.netfilter.nf_conntrack_max"


def sizes(count: int, limit: int = 1_000, *, at_s: int = 0) -> DumpInput:
    settings = (Setting(1, COUNT, str(count)), Setting(2, MAX, str(limit)))
    dump = Dump("sysctl", 2, (), T0_NS + at_s * 10**9, "text", settings=settings)
    return DumpInput(f"sysctl-{at_s}.txt", None, dump)


def log(text: str) -> DumpInput:
    return DumpInput(
        "dmesg.txt", None, Dump("kernel-log", 1, (), messages=(KernelMessage(1, 1.0, None, text),))
    )


def stats(early_drop: int, at_s: int) -> DumpInput:
    row = CounterRow(1, 0, {"early_drop": early_drop, "drop": 0})
    return DumpInput(
        f"ct-{at_s}.txt", None, Dump("conntrack-stats", 1, (), T0_NS + at_s, "text", counters=(row,))
    )


def detection(*dumps: DumpInput) -> Detection:
    return detect(gather_facts([], dumps))


@pytest.mark.parametrize(
    ("count", "severity"), [(899, None), (900, "warning"), (979, "warning"), (980, "critical")]
)
def test_the_share_of_the_limit_decides(count: int, severity: str | None) -> None:
    found = detection(sizes(count))
    assert [f.severity for f in found.findings] == ([severity] if severity else [])
    assert found.status == ("found" if severity else "clear")


def test_the_kernels_complaint_is_enough() -> None:
    (finding,) = detection(log("nf_conntrack: nf_conntrack: table full, dropping packet")).findings
    assert (finding.severity, finding.count, finding.evidence[0].lines) == ("critical", 1, [1])
    assert detection(log("eth0: link becomes ready")).status == "clear"


def test_early_drop_is_a_sign_and_flat_counters_are_none() -> None:
    assert detection(stats(1, 0), stats(5, 60)).findings[0].measures["early_drop_delta"] == 4
    assert detection(stats(1, 0), stats(1, 60)).status == "clear"


def test_steady_growth_gives_a_forecast_within_the_horizon() -> None:
    (finding,) = detection(*(sizes(500 + n * 60, at_s=60 * n) for n in range(4))).findings
    # 680 entries, one more each second: 900 are reached in 220 s.
    assert finding.measures["forecast_90_percent_s"] == pytest.approx(220.0)
    assert detection(*(sizes(500 + n, at_s=60 * n) for n in range(4))).status == "clear"


@pytest.mark.parametrize(("near_at_s", "status"), [(1_979, "found"), (1_981, "clear")])
def test_a_forecast_reaches_ten_times_as_far_as_the_dumps(near_at_s: int, status: str) -> None:
    limit = (1_000 + near_at_s) * 10
    found = detection(*(sizes(9_000 + 9 * at_s, limit, at_s=at_s) for at_s in (0, 60, 120, 180)))
    assert found.status == status


def test_two_dumps_or_a_zigzag_give_no_forecast() -> None:
    assert detection(sizes(500, at_s=0), sizes(700, at_s=60)).status == "clear"
    assert detection(*(sizes(c, at_s=60 * n) for n, c in enumerate((500, 700, 480, 720)))).status == "clear"


def test_without_any_of_these_dumps_it_cannot_be_checked() -> None:
    assert detection().status == "not-checkable"
