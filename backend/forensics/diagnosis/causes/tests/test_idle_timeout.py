"""Connections forgotten on the way: time-outs by what lived and what died, by listings, and against a restart."""

from __future__ import annotations

import pytest

from backend.forensics.detection.run import run_detectors
from backend.forensics.diagnosis.causes.idle_timeout import CAUSE, ESTABLISHED
from backend.forensics.diagnosis.run import diagnose
from backend.forensics.dumps import Dump, FilterRule, IpvsTimeouts, Setting
from backend.forensics.evidence.facts import gather_facts
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.packets import ACK, RST
from backend.forensics.report import DiagnosisPart
from backend.forensics.signals import AFTER_SILENCE, REPLY, SENT_AGAIN
from backend.forensics.tests.build_anomalies import StumbleBuilder
from backend.forensics.tests.build_capture import MS, S


def wake(capture: StumbleBuilder, silence_s: int, answer: int | None) -> None:
    """Data after a silence, answered with these flags, or sent again twice in vain."""
    connection = capture.connection()
    sent = {"payload_bytes": 200, "from_client": 1}
    capture.signal(connection, 900 * S, AFTER_SILENCE, silence_ns=silence_s * S, **sent)
    if answer is not None:
        capture.signal(connection, 900 * S + 50 * MS, REPLY, tcp_flags=answer)
        return
    for n in range(3):
        capture.signal(connection, 900 * S + (n + 1) * 200 * MS, SENT_AGAIN, silence_ns=200 * MS, **sent)


def diagnoses(
    *, died_s: int = 400, survived_s: int | None = 300, answer: int | None = RST, dump: Dump | None = None
) -> dict[str, DiagnosisPart]:
    capture = StumbleBuilder()
    for _ in range(4):
        wake(capture, died_s, answer)
    if survived_s is not None:
        wake(capture, survived_s, ACK)
    facts = gather_facts([capture.build()], [DumpInput("dump.txt", None, dump)] if dump else [])
    detected = run_detectors(facts)
    return {d.cause: d for d in diagnose(facts, detected.cases).diagnoses}


def sysctl(seconds: int) -> Dump:
    settings = (Setting(line=1, key=ESTABLISHED, value=str(seconds)),)
    return Dump(kind="sysctl", lines=1, lines_not_understood=(), settings=settings)


def test_what_lived_and_what_died_enclose_a_known_time_out() -> None:
    found = diagnoses()[CAUSE]
    assert found.verdict == "likely"
    assert found.statement == (
        "4 connections to 192.0.2.10:443 were dropped from a state table on the path after 400 s or more idle."
    )
    assert any("350 s fits: AWS Network Load Balancer" in text for text in found.supporting)
    assert {r.cause: r.status for r in found.rivals} == {
        "server-restart": "ruled-out",
        "firewall-drop": "ruled-out",
    }
    assert all(r.check and r.proof and r.undo and r.side_effect for r in found.remedies)


def test_resets_without_a_survivor_may_be_a_server_started_anew() -> None:
    found = diagnoses(survived_s=None)[CAUSE]
    assert found.verdict == "possible"
    assert {r.cause: r.status for r in found.rivals}["server-restart"] == "possible"


def test_silence_is_no_restart() -> None:
    found = diagnoses(survived_s=None, answer=None)[CAUSE]
    assert {r.cause: r.status for r in found.rivals}["server-restart"] == "ruled-out"


@pytest.mark.parametrize(
    ("seconds", "shown"), [(300, False), (301, True), (400, True), (401, False), (432_000, False)]
)
def test_a_setting_between_what_lived_and_what_died_supports_it(seconds: int, shown: bool) -> None:
    found = diagnoses(dump=sysctl(seconds))[CAUSE]
    assert any(ESTABLISHED in text for text in found.supporting) == shown
    assert (found.verdict == "confirmed") == shown


def test_the_time_out_of_ipvs_counts_as_well() -> None:
    timeouts = IpvsTimeouts(line=1, tcp_s=900, tcp_fin_s=120, udp_s=300)
    dump = Dump(kind="ipvs-timeouts", lines=1, lines_not_understood=(), ipvs_timeouts=timeouts)
    found = diagnoses(died_s=950, survived_s=850, dump=dump)[CAUSE]
    assert any("ipvsadm --timeout, tcp is 900 s" in text for text in found.supporting)


def test_a_survivor_of_a_longer_silence_leaves_no_cause() -> None:
    assert CAUSE not in diagnoses(survived_s=500)


def invalid_rule(packets: int, text: str = "-m conntrack --ctstate INVALID") -> Dump:
    rule = FilterRule(1, f"-A FORWARD {text} -j DROP", "filter", "FORWARD", "DROP", packets)
    return Dump(kind="iptables-save", lines=1, lines_not_understood=(), filter_rules=(rule,))


@pytest.mark.parametrize(
    ("dump", "told"),
    [
        (invalid_rule(16), True),
        (invalid_rule(7), False),
        (invalid_rule(16, "-m conntrack --ctstate NEW"), False),
    ],
)
def test_a_rule_for_what_is_not_tracked_that_counted_the_segments(dump: Dump, told: bool) -> None:
    """Four connections, each with four segments after its silence."""
    plain = diagnoses(answer=None)[CAUSE]
    found = diagnoses(answer=None, dump=dump)[CAUSE]
    assert any("untracked connections" in text for text in found.supporting) == told
    assert (found.confidence > plain.confidence) == told
