"""Advice fits the evidence: addresses where they are known, kubectl where something speaks of Kubernetes."""

from __future__ import annotations

import pytest

from backend.forensics.captures import Capture
from backend.forensics.detection.run import run_detectors
from backend.forensics.diagnosis.causes.tests.build_held import both_ends
from backend.forensics.diagnosis.fitting_advice import with_fitting_advice
from backend.forensics.diagnosis.run import diagnose
from backend.forensics.evidence.facts import gather_facts
from backend.forensics.report import MissingPart
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, S, plain_path

SERVER = "192.0.2.9"


def _commands(place: str) -> list[str]:
    """All commands of a report on a host that never answers, captured at that interface."""
    return _commands_on(_unanswered(place))


def _unanswered(place: str) -> Capture:
    made = CaptureBuilder(places=(place,))
    for number in range(6):
        path = plain_path(f"10.0.0.1:{5000 + number}", f"{SERVER}:80", place)
        for wait_s in (0, 1, 3):
            made.syn(T0_NS + number * 70 * MS + wait_s * S, path, isn=100 + number)
        other = plain_path(f"10.0.0.1:{6000 + number}", "192.0.2.7:80", place)
        made.connect(T0_NS + number * 90 * MS, other, isn=500 + number)
    return made.build()


def _commands_on(*captures: Capture) -> list[str]:
    facts = gather_facts(list(captures), [])
    detected = run_detectors(facts)
    found = diagnose(facts, detected.cases).diagnoses
    assert found
    commands: list[str | None] = [each.command for part in found for each in part.missing]
    commands += [remedy.command for part in found for remedy in part.remedies]
    commands += [rival.command for part in found for rival in part.rivals]
    checks = [remedy.check for part in found for remedy in part.remedies]
    return [command for command in (*commands, *checks) if command]


@pytest.mark.parametrize(
    ("place", "kubernetes"), [("eth0", False), ("wlan0", False), ("cni0", True), ("cali1a2b3c4d5e6", True)]
)
def test_kubectl_is_advised_where_something_speaks_of_kubernetes(place: str, kubernetes: bool) -> None:
    commands = _commands(place)
    assert any("kubectl" in command for command in commands) is kubernetes
    assert any("iptables-save -c" in command for command in commands)


def test_the_address_stands_where_a_host_is_meant() -> None:
    commands = _commands("eth0")
    assert not [command for command in commands if "HOST" in command.split()]
    assert any(SERVER in command for command in commands)


def test_it_also_stands_where_the_finding_is_of_two_hosts() -> None:
    commands = _commands_on(*both_ends("forth", apart_ms=5.0))
    assert any(command.endswith("host 10.0.0.2") for command in commands)
    assert not [command for command in commands if "HOST" in command.split()]


def test_it_also_stands_where_no_finding_is_left() -> None:
    facts = gather_facts([_unanswered("eth0")], [])
    [first, *_] = diagnose(facts, run_detectors(facts).cases).diagnoses
    asked = MissingPart(what="Loss per hop of the path", command="mtr -rwc 100 HOST")
    bare = first.model_copy(update={"findings": [], "missing": [asked]})
    fitted = with_fitting_advice(bare, [], kubernetes=False, asked=lambda: SERVER)
    assert [each.command for each in fitted.missing] == [f"mtr -rwc 100 {SERVER}"]
