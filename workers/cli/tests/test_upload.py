"""`stallscope upload` against a running product."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from backend.api.tests.running_product import DEMO, Product, running_product
from workers.cli.main import main

HEALTHY = DEMO / "snat-race-healthy"
INCIDENT = DEMO / "snat-race" / "three-interfaces.pcapng"


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    with running_product(tmp_path_factory.mktemp("product")) as running:
        yield running


def test_the_first_run_of_a_label_passes_and_a_worse_one_fails(
    product: Product, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    baseline = ["--server", product.address, "--label", "nightly", "--baseline", "latest:nightly"]
    assert main(["upload", str(HEALTHY / "any.pcap"), *baseline, "--fail-on", "warning"]) == 0
    said = capsys.readouterr()
    assert said.out.startswith(f"{product.address}/i/")
    assert "nothing to compare with yet" in said.err
    first, verdict = said.out.splitlines()
    assert verdict == f"stallscope: DONE the first run of its label (0.0 s lost) {first}"
    out = tmp_path / "out.xml"
    given = ["upload", str(INCIDENT), "--fail-on", "warning", "--junit", str(out)]
    assert main([*given, *baseline]) == 1
    told = capsys.readouterr().out
    assert "new, critical: tuple-collision" in told
    link, verdict = told.splitlines()[0], told.splitlines()[-1]
    assert verdict.startswith("stallscope: FAIL 2 new findings, ")
    assert verdict.endswith(f" {link}?baseline={first.rpartition('/')[2]}")
    assert int(ElementTree.parse(out).getroot().get("failures", "0")) >= 2
    # The same base by its link.
    assert main([*given, "--server", product.address, "--baseline", first]) == 1
    assert main(["compare", first, first, "--fail-on", "info"]) == 0


def test_without_a_baseline_the_report_is_judged_and_written(
    product: Product, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    blob = tmp_path / "blob.bin"
    blob.write_bytes(b"\0\1\2\xff\xfe neither a capture nor a text")
    forms = [text for form in ("json", "junit", "sarif") for text in (f"--{form}", str(tmp_path / form))]
    given = ["upload", str(INCIDENT), str(blob), "--server", product.address, "--wait", *forms]
    assert main([*given, "--fail-on", "snat-port-race"]) == 1
    said = capsys.readouterr()
    assert "blob.bin: " in said.err
    assert "SNAT source-port collision" in said.out
    assert "\nstallscope: FAIL 2 findings (" in said.out
    assert json.loads((tmp_path / "json").read_text())["schema"] == "stallscope.report/1"
    cases = ElementTree.parse(tmp_path / "junit").getroot().iter("testcase")
    assert {"stallscope.tuple-collision", "stallscope.syn-retransmission"} <= {
        c.get("classname") for c in cases
    }
    (run,) = json.loads((tmp_path / "sarif").read_text())["runs"]
    assert {result["level"] for result in run["results"]} == {"error"}
    assert all(result["locations"] for result in run["results"])


@pytest.mark.parametrize(("case", "code"), [("snat-race", 1), ("snat-race-healthy", 0)])
def test_the_incident_recorded_in_the_lab_fails_and_its_healthy_twin_passes(
    product: Product, extra_captures: Path, tmp_path: Path, case: str, code: int
) -> None:
    out = tmp_path / "out.xml"
    given = ["upload", str(extra_captures / "lab" / case), "--server", product.address]
    assert main([*given, "--wait", "--fail-on", "warning", "--junit", str(out)]) == code
    assert (int(ElementTree.parse(out).getroot().get("failures", "0")) > 0) is bool(code)


def test_what_is_said_of_files_reaches_the_analysis(product: Product, tmp_path: Path) -> None:
    for host in ("node-7", "node-8"):
        (tmp_path / host).mkdir()
        for when in ("before", "after"):
            shutil.copy(HEALTHY / f"conntrack-S-{when}.txt", tmp_path / host / f"{when}.txt")
    folders = [str(tmp_path / host) for host in ("node-7", "node-8")]
    out = tmp_path / "report.json"
    said = ["--host", "node-8/after.txt=gateway", "--at", "node-8/after.txt=2026-11-21T01:11:41Z"]
    assert main(["upload", *folders, *said, "--server", product.address, "--json", str(out)]) == 0
    inputs = {each["name"]: each for each in json.loads(out.read_text())["inputs"]}
    assert {name: each["host"] for name, each in inputs.items()} == {
        "node-7-after.txt": "node-7",
        "node-7-before.txt": "node-7",
        "node-8-after.txt": "gateway",
        "node-8-before.txt": "node-8",
    }
    assert inputs["node-8-after.txt"]["captured_at"] == "2026-11-21T01:11:41.000000000Z"
    assert inputs["node-8-after.txt"]["captured_at_basis"] == "given"


def test_a_run_that_takes_too_long_is_not_finished(
    product: Product, capsys: pytest.CaptureFixture[str]
) -> None:
    (worker,) = product.worker_pids()
    os.kill(worker, signal.SIGSTOP)
    try:
        code = main(["upload", str(INCIDENT), "--server", product.address, "--wait", "--timeout", "0.01"])
    finally:
        os.kill(worker, signal.SIGCONT)
    assert code == 4
    link, verdict = capsys.readouterr().out.splitlines()
    assert verdict.startswith("stallscope: NOT FINISHED after 0 s the analysis is ")
    assert verdict.endswith(f"it goes on. {link}")


def test_a_reader_that_leaves_changes_nothing_of_the_verdict(product: Product) -> None:
    command = [sys.executable, "-m", "workers.cli.main", "upload", str(INCIDENT), "--server", product.address]
    run = subprocess.Popen(
        [*command, "--fail-on", "warning"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert run.stdout is not None
    assert run.stderr is not None
    assert run.stdout.readline().startswith(f"{product.address}/i/")
    run.stdout.close()
    said = run.stderr.read()
    assert run.wait() == 1, said
    run.stderr.close()
    assert said.startswith("stallscope: --fail-on: ")
    assert said.count("\n") == 1


def test_without_wait_only_the_link_is_printed(
    product: Product, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = shutil.copy(HEALTHY / "conntrack-S-after.txt", tmp_path / "a b#c.txt")
    assert main(["upload", str(copy), "--server", f"{product.address}/"]) == 0
    (link,) = capsys.readouterr().out.splitlines()
    with product.client() as client:
        found = client.get(f"/investigations/{link.rpartition('/')[2]}/files").json()["items"]
    assert [file["name"] for file in found] == ["a b#c.txt"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--server", "nowhere"], 2),
        (["--server", "http://127.0.0.1:9"], 3),
        (["--server", "http://127.0.0.1:9", "--fail-on", "eror"], 2),
        (["--server", "http://127.0.0.1:9", "--json", "/no/such/folder/r.json"], 2),
    ],
)
def test_a_wrong_or_absent_server_is_told(
    arguments: list[str], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["upload", str(INCIDENT), *arguments]) == code
    assert capsys.readouterr().err.count("\n") == 1


def test_nothing_that_the_server_takes_is_2(product: Product, tmp_path: Path) -> None:
    blob = tmp_path / "notes.bin"
    blob.write_bytes(bytes(range(256)) * 4)
    assert main(["upload", str(blob), "--server", product.address, "--wait"]) == 2
