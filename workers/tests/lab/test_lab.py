"""Real incidents, made here in network namespaces, and what the command line says about them."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from workers.tests.lab.hosts import CommandFailedError
from workers.tests.lab.incident import EVERYTHING, Case, Incident, all_causes, all_incidents
from workers.tests.lab.instance import ISOLATION, REPOSITORY, make_instance, why_not
from workers.tests.lab.judge import Verdict, compare, judge

SEED = 1
GONE_WITHIN_S = 60


@pytest.fixture(scope="session")
def _namespaces() -> None:
    reason = why_not()
    if reason:
        pytest.skip(f"no incident can be made here: {reason}")


def _named(short: bool) -> list[str]:
    return [each.name for each in all_incidents().values() if each.short == short]


@pytest.mark.usefixtures("_namespaces")
@pytest.mark.parametrize("name", _named(short=True))
def test_short_incidents_are_named_and_nothing_false_is_said(name: str, tmp_path: Path) -> None:
    _made_and_judged(all_incidents()[name], tmp_path, first_case_only=True)


@pytest.mark.long
@pytest.mark.usefixtures("_namespaces")
@pytest.mark.parametrize("name", _named(short=False))
def test_long_incidents_are_named_and_nothing_false_is_said(name: str, tmp_path: Path) -> None:
    _made_and_judged(all_incidents()[name], tmp_path, first_case_only=False)


def _made_and_judged(made: Incident, folder: Path, first_case_only: bool) -> None:
    make_instance(made.name, SEED, folder)
    truth = json.loads((folder / "truth.json").read_text())
    assert truth["cause"] == made.cause
    assert all(counts["dropped by kernel"] == 0 for counts in truth["tcpdump"].values())
    wrong = [str(verdict) for verdict in judge(folder, first_case_only) if not verdict.holds]
    assert not wrong


@pytest.mark.usefixtures("_namespaces")
def test_an_instance_leaves_nothing_behind_even_when_it_is_killed(tmp_path: Path) -> None:
    before = _own_names()
    command = [
        *ISOLATION,
        sys.executable,
        "-m",
        "workers.tests.lab.instance",
        "loss-none",
        "1",
        str(tmp_path),
    ]
    with subprocess.Popen(command, cwd=REPOSITORY, start_new_session=True) as made:
        while not list(tmp_path.glob("*.pcap")):
            assert made.poll() is None
            time.sleep(0.05)
        assert _children_of(made.pid)
        os.kill(made.pid, signal.SIGKILL)
    deadline = time.monotonic() + GONE_WITHIN_S
    while any(str(tmp_path) in line for line in _command_lines()):
        assert time.monotonic() < deadline, "a process of the instance still runs"
        time.sleep(0.05)
    assert _own_names() == before


def _own_names() -> set[str]:
    listed = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True)
    return set(listed.stdout.split())


def _children_of(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


def _command_lines() -> list[str]:
    lines = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            lines.append(path.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
        except OSError:
            continue
    return lines


@pytest.mark.usefixtures("_namespaces")
def test_an_instance_that_fails_says_what_failed(tmp_path: Path) -> None:
    with pytest.raises(CommandFailedError, match="no-such-incident"):
        make_instance("no-such-incident", 1, tmp_path)


def _report(**causes: float) -> dict[str, Any]:
    diagnoses = [{"cause": name.replace("_", "-"), "confidence": sure} for name, sure in causes.items()]
    finding = {"kind": "syn-retransmission", "count": 3, "severity": "warning"}
    return {"diagnoses": diagnoses, "findings": [finding]}


def _compared(case: Case, **causes: float) -> Verdict:
    return compare(case.as_json(), _report(**causes))


def test_a_verdict_tells_what_is_missed_from_what_is_false() -> None:
    case = Case("all", EVERYTHING, ("path-loss",), ("return-path-loss",), 0.6)
    assert _compared(case, path_loss=0.6, return_path_loss=0.9).holds
    assert _compared(case, path_loss=0.59).missed == ["path-loss only 0.59"]
    assert _compared(case).missed == ["first said: nothing, not path-loss"]
    assert _compared(case, path_loss=0.9, node_drop=0.49).holds
    both = Case("all", EVERYTHING, ("path-loss",), named=("node-drop",))
    assert _compared(both, path_loss=0.9, node_drop=0.2).holds
    assert _compared(both, path_loss=0.9).missed == ["not said: node-drop"]
    assert _compared(case, path_loss=0.9, node_drop=0.5).false == ["false: node-drop 0.50"]


def test_a_verdict_counts_findings_above_info() -> None:
    at_most_two = Case("all", EVERYTHING, findings={"syn-retransmission": (0, 2)})
    assert compare(at_most_two.as_json(), _report()).missed == ["syn-retransmission: 3, not 0 to 2"]
    three = Case("all", EVERYTHING, findings={"syn-retransmission": (3, 3)})
    assert compare(three.as_json(), _report()).holds


def test_every_case_forbids_every_cause_that_it_does_not_allow() -> None:
    forbidden = Case("all", EVERYTHING, ("path-loss",), ("return-path-loss",)).as_json()["forbid_causes"]
    assert {*forbidden, "path-loss", "return-path-loss"} == set(all_causes())


def test_every_incident_has_a_cause_of_the_product_or_none() -> None:
    known = {*all_causes(), None}
    assert [each.name for each in all_incidents().values() if each.cause not in known] == []


def test_every_cause_is_made_here_or_the_readme_says_why_not() -> None:
    made = {each.cause for each in all_incidents().values()}
    readme = (Path(__file__).parent / "README.md").read_text()
    _, _, rest = readme.partition("## Causes that are not made here")
    excused = set(re.findall(r"^\| `([a-z-]+)` \|", rest, re.MULTILINE))
    assert excused == set(all_causes()) - made
