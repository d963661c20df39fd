"""ICMP errors are joined to what they quote and notable only when several connections ended."""

from __future__ import annotations

import numpy as np
import pytest

from backend.forensics.detection.contract import Detection
from backend.forensics.detectors.unreachable.detector import REST, detect
from backend.forensics.detectors.unreachable.thresholds import Thresholds
from backend.forensics.evidence.facts import gather_facts
from backend.forensics.packets import ICMP
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, S, plain_path


def told(
    number: int, *, kind: int = 3, code: int = 1, servers: int = 1, quoted: bool = True
) -> CaptureBuilder:
    """So many attempts, each ended by an ICMP error that both vantage points saw."""
    capture = CaptureBuilder()
    for n in range(number):
        client, server = f"10.0.0.1:{20_000 + n}", f"192.0.2.{10 + n % servers}:80"
        capture.syn(T0_NS + n * MS, plain_path(client, server, "cni0", "eth0"), isn=1_000 + n)
        columns = {"protocol": ICMP, "icmp_type": kind, "icmp_code": code}
        if quoted:
            columns |= {"source_port": 20_000 + n, "destination_port": 80, "sequence": 1_000 + n}
        for place in ("eth0", "cni0"):
            capture.packet(place, T0_NS + n * MS + S, "192.0.2.1:0", "10.0.0.1:0", **columns)
    return capture


def detection(capture: CaptureBuilder, limits: Thresholds | None = None) -> Detection:
    return detect(gather_facts([capture.build()], []), limits or Thresholds())


@pytest.mark.parametrize(("number", "severity"), [(2, "info"), (3, "warning")])
def test_three_connections_are_notable_and_counted_once(number: int, severity: str) -> None:
    (finding,) = detection(told(number)).findings
    assert (finding.count, finding.severity) == (number, severity)
    assert finding.affected[0]["destination"] == "192.0.2.10:80"
    assert finding.measures["attempts_ended"] == number


@pytest.mark.parametrize(
    ("code", "words"), [(0, "no route"), (1, "host unreachable"), (3, "port"), (13, "prohibited")]
)
def test_the_code_says_what_it_means(code: int, words: str) -> None:
    assert words in str(detection(told(3, code=code)).findings[0].measures["meaning"])


def test_an_error_at_two_vantage_points_was_sent_once() -> None:
    errors = gather_facts([told(3).build()], []).icmp_errors
    found = np.arange(len(errors.rows))
    assert (len(found), errors.sent(found)) == (6, 3)


def test_a_traceroute_and_a_datagram_are_harmless() -> None:
    assert detection(told(9, kind=11, code=0)).findings[0].severity == "info"
    assert detection(told(9, quoted=False)).findings[0].severity == "info"


def test_fragmentation_needed_is_another_rules_business() -> None:
    assert detection(told(9, code=4)).status == "clear"


def test_a_scan_is_told_in_few_findings_and_no_error_is_lost() -> None:
    found = detection(told(60, servers=60), Thresholds(findings_most=10))
    assert (found.status, len(found.findings)) == ("clear", 11)
    assert sum(f.count for f in found.findings) == 60
    assert found.findings[-1].affected[0]["destination"] == REST
