"""Facts of listings are told where no capture decides, each with what it can't show."""

from __future__ import annotations

import pytest

from backend.forensics.detectors.listed_sign.detector import detect
from backend.forensics.detectors.listed_sign.thresholds import Thresholds
from backend.forensics.dumps import (
    ClientStep,
    CounterRow,
    DropEvent,
    Dump,
    LogMessage,
    MetricValue,
    Neighbor,
    PathHop,
    Route,
)
from backend.forensics.evidence.facts import gather_facts
from backend.forensics.evidence.kernel.counters import DumpInput


def summaries(*dumps: Dump) -> list[str]:
    inputs = [DumpInput(f"{number}.txt", None, dump) for number, dump in enumerate(dumps)]
    return [finding.summary for finding in detect(gather_facts([], inputs)).findings]


@pytest.mark.parametrize(
    ("dump", "said"),
    [
        (Dump("ip-neigh", 1, (), neighbors=(Neighbor(1, "10.0.0.2", "eth0", "", "FAILED"),)), "10.0.0.2 on eth0"),
        (Dump("ip-route", 1, (), routes=(Route(1, "10.0.0.0/8", "blackhole"),)), "to 10.0.0.0/8 is blackhole"),
        (
            Dump("drops", 1, (), drops=(DropEvent(1, "pwru", "NETFILTER_DROP", "kfree_skb_reason"),)),
            "a rule of iptables or nftables dropped it",
        ),
        (Dump("path-hops", 1, (), hops=(PathHop(1, "mtr", 1, "10.0.0.1", 12.0, 100),)), "12 % of 100 probes were lost"),
        (Dump("metrics", 1, (), metrics=(MetricValue(1, "ErrorPortAllocation", 412.0),)), "is up to 412 in 1 value"),
        (Dump("component-log", 1, (), log_messages=(LogMessage(1, "calico", "error", "no route"),)), "calico logged 1"),
        (
            Dump("client-steps", 1, (), client_steps=(ClientStep(1, "curl", "failed", "timed out", "10.0.0.2", 80),)),
            "A client failed to 10.0.0.2:80",
        ),
    ],
)  # fmt: skip
def test_a_listing_alone_is_an_investigation(dump: Dump, said: str) -> None:
    (summary,) = summaries(dump)
    assert said in summary
    assert "Not shown: " in summary
    assert "Next: " in summary


def test_a_listing_without_trouble_has_no_finding() -> None:
    fine = (
        Dump("ip-neigh", 1, (), neighbors=(Neighbor(1, "10.0.0.2", "eth0", "02:00:00:00:00:02", "STALE"),)),
        Dump("metrics", 1, (), metrics=(MetricValue(1, "ErrorPortAllocation", 0.0),)),
        Dump("drops", 1, (), drops=(DropEvent(1, "hubble", "", "to-endpoint", dropped=False),)),
        Dump("path-hops", 1, (), hops=(PathHop(1, "mtr", 1, "10.0.0.1", 0.0, 100),)),
    )
    assert summaries(*fine) == []


def test_counters_that_went_down_are_no_delta() -> None:
    dumps = [
        Dump("nstat", 1, (), at_ns, "text", counters=(CounterRow(1, None, {"TcpRetransSegs": value}),))
        for at_ns, value in ((1_700_000_000_000_000_000, 900), (1_700_000_060_000_000_000, 12))
    ]
    (summary,) = summaries(*dumps)
    assert "went from 900 to 12: a restart in between, or another host" in summary


def test_no_more_facts_than_a_page_holds() -> None:
    drops = tuple(DropEvent(n, "pwru", f"REASON_{n}", "f") for n in range(1, 6))
    facts = gather_facts([], [DumpInput("x.txt", None, Dump("drops", 5, (), drops=drops))])
    assert len(detect(facts, Thresholds(signs_most=5)).findings) == 5
    assert len(detect(facts, Thresholds(signs_most=4)).findings) == 4
