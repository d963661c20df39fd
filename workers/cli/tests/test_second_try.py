"""`analyze` as a program whose detectors or causes misbehave: it ends with a report, which says of which part."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from backend.api.tests.running_product import DEMO
from backend.forensics.detection.discovery import list_kinds
from backend.forensics.diagnosis.causes import list_causes
from backend.forensics.tests.misbehaving import DEADLY, STOPPED

DUMP = str(DEMO / "snat-race" / "conntrack-S-before.txt")
PROGRAM = """
import sys
from workers.cli.main import main

def misbehave(part, name):
    from dataclasses import replace
    from backend.forensics.detection import run as detection
    from backend.forensics.diagnosis import run as diagnosis
    from backend.forensics.tests import misbehaving

    how = {**misbehaving.STOPPED, **misbehaving.DEADLY}[name][0]
    detectors, causes = detection.discover_detectors(), diagnosis.discover_causes()
    detection.discover_detectors = lambda: tuple(
        replace(each, detect=how) if each.kind == part else each for each in detectors)
    diagnosis.discover_causes = lambda: tuple(
        (cause, how if f"cause:{cause}" == part else assess) for cause, assess in causes)

part, name, *sys.argv[1:] = sys.argv[1:]
import workers.cli.analyze as command
run = command.run

def run_misbehaving(arguments):
    misbehave(part, name)  # in the process that works: the first one has imported nothing
    return run(arguments)

command.run = run_misbehaving
sys.exit(main())
"""
FIRST, LAST = list_kinds()[0], f"cause:{sorted({*list_causes()} - {'unknown'})[-1]}"


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.long] * (name != "kill_process")) for name in (*STOPPED, *DEADLY)],
)
def test_it_ends_with_a_report(name: str, tmp_path: Path) -> None:
    assert_only_part_is_missing(FIRST if len(name) % 2 else LAST, name, tmp_path / "report.json")


@pytest.mark.long
@pytest.mark.parametrize("name", ["run_for_ever", "allocate_for_ever"])
@pytest.mark.parametrize(
    "part", [*list_kinds(), *(f"cause:{each}" for each in list_causes() if each != "unknown")]
)
def test_each_part_may_take_all(part: str, name: str, tmp_path: Path) -> None:
    assert_only_part_is_missing(part, name, tmp_path / "report.json")


def assert_only_part_is_missing(part: str, name: str, report: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, part, name, "analyze", DUMP, "--json", str(report)],
        capture_output=True,
        text=True,
        check=False,
        env={"STALLSCOPE_PART_CPU_S": "1", "STALLSCOPE_PART_MEMORY_BYTES": str(256 << 20)},
    )
    assert ran.returncode == 0, ran.stderr
    checked = json.loads(report.read_text(encoding="utf-8"))["checked"]
    failed = {each["kind"]: each["why"] for each in checked if each["status"] == "failed"}
    assert failed.keys() == {part}
    assert {**STOPPED, **DEADLY}[name][1] in failed[part]
    if name in (*STOPPED, "segfault", "run_compiled"):
        assert "misbehaving.py" in ran.stderr
    assert f"stallscope: the process ended in {part}" in ran.stderr or name not in DEADLY


def test_a_process_that_ends_outside_the_parts_ends_alike() -> None:
    program = "import os, sys, workers.cli.analyze as a\na.run = lambda _: os.kill(os.getpid(), 11)\n"
    program += "from workers.cli.main import main\nsys.argv[1:] = ['analyze', 'x']\nsys.exit(main())"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == -11
