"""Causes that logs and metrics of a component state themselves, each with what resembles it."""

from __future__ import annotations

import pytest

from backend.forensics.diagnosis.causes.tests.build_losses import Losses
from backend.forensics.diagnosis.causes.tests.dump_cases import confidence
from backend.forensics.evidence.kernel.counters import DumpInput
from workers.decode.dumps import parse_dump_bytes

SYNC, GOAWAY, CLOUD = "rule-sync-delay", "grpc-goaway", "cloud-snat-exhaustion"
_KLOG = "I1121 01:11:43.487264       1 proxier.go:1234] "
_CORE = "E0302 01:10:20.511231294  138645 chttp2_transport.cc:1098] Received a GOAWAY with error code "


def listed(text: str) -> list[DumpInput]:
    return [DumpInput("x.txt", None, dump) for dump in parse_dump_bytes(text.encode())]


@pytest.mark.parametrize(
    ("elapsed", "lowest", "highest"),
    [
        ("58.2s", 0.7, 0.9),
        ("1m2.5s", 0.7, 0.9),
        ("5s", 0.5, 0.7),
        ("4.99s", 0.0, 0.0),
        ("38.805737ms", 0.0, 0.0),
    ],
)
def test_a_slow_sync_is_named_by_its_length(elapsed: str, lowest: float, highest: float) -> None:
    said = confidence(SYNC, listed(f'{_KLOG}"SyncProxyRules complete" ipFamily="IPv4" elapsed="{elapsed}"\n'))
    assert lowest <= said <= highest


def test_a_held_lock_alone_is_no_more_than_possible() -> None:
    held = (
        'E1121 01:12:43.487264       1 proxier.go:1544] "Failed to execute iptables-restore" err="exit status 4: '
        'Another app is currently holding the xtables lock; still 5s 0us time ahead"\n'
    )
    assert 0.3 < confidence(SYNC, listed(held)) < 0.5
    assert (
        confidence(
            SYNC, listed(held.replace("holding the xtables lock", "at work").replace("restore", "save"))
        )
        == 0
    )


@pytest.mark.parametrize(("total", "named"), [(120.0, True), (0.9, False)])
def test_the_mean_of_all_syncs_is_read_from_the_metrics(total: float, named: bool) -> None:
    name = "kubeproxy_sync_proxy_rules_duration_seconds"
    text = f'{name}_sum{{ip_family="IPv4"}} {total}\n{name}_count{{ip_family="IPv4"}} 10\n'
    assert (confidence(SYNC, listed(text)) > 0.5) is named


@pytest.mark.parametrize(
    ("reason", "named"),
    [
        ('ENHANCE_YOUR_CALM and debug data equal to "too_many_pings"', True),
        ('NO_ERROR and debug data equal to "max_age"', False),
        ("INTERNAL_ERROR", False),
    ],
)
def test_a_goaway_is_named_by_its_reason(reason: str, named: bool) -> None:
    assert (confidence(GOAWAY, listed(f"{_CORE}{reason}.\n")) > 0.7) is named


def test_the_go_client_says_it_in_its_own_words() -> None:
    text = (
        "2023/07/22 12:43:55 ERROR: [transport] Client received GoAway with error code ENHANCE_YOUR_CALM and debug "
        'data equal to ASCII "too_many_pings".\n'
    )
    assert confidence(GOAWAY, listed(text)) > 0.7


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("WARNING: [transport] transport: Got too many pings from the client, closing the connection.", True),
        ("INFO: HTTP/2 error code: ENHANCE_YOUR_CALM. Received Goaway too_many_pings", True),
        ("INFO: [docs] what too_many_pings means", False),
        ("INFO: [docs] what ENHANCE_YOUR_CALM means", False),
    ],
)
def test_the_reason_counts_where_a_goaway_carries_it(text: str, named: bool) -> None:
    assert (confidence(GOAWAY, listed(f"2023/07/22 12:43:55 {text}\n")) > 0.7) is named


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Timestamp,ErrorPortAllocation,ActiveConnectionCount\n2026-11-21T01:12:00Z,412,55000\n", True),
        ("Timestamp,ErrorPortAllocation,ActiveConnectionCount\n2026-11-21T01:12:00Z,0,55000\n", False),
        ('SNATConnectionCount{ConnectionState="Failed"} 31\n', True),
        ('SNATConnectionCount{ConnectionState="Attempted"} 31\n', False),
        ('router_nat_dropped_sent_packets_count{reason="OUT_OF_RESOURCES"} 9\n', True),
        ('router_nat_dropped_sent_packets_count{reason="ENDPOINT_INDEPENDENCE_CONFLICT"} 9\n', False),
    ],
)
def test_a_refused_allocation_is_named(text: str, named: bool) -> None:
    assert (confidence(CLOUD, listed(text)) > 0.7) is named


@pytest.mark.parametrize(("server", "named"), [("8.8.4.4", True), ("10.0.0.2", False)])
def test_losses_to_private_addresses_speak_against_the_clouds_nat(server: str, named: bool) -> None:
    text = "Timestamp,ErrorPortAllocation,ActiveConnectionCount\n2026-11-21T01:12:00Z,412,55000\n"
    capture = Losses().usual(f"{server}:443", 20).late(f"{server}:443", 10).build()
    assert (confidence(CLOUD, listed(text), [capture]) > 0.5) is named
