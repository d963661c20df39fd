"""`stallscope upload` against a running product."""

from __future__ import annotations

import json
import shutil
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
    first = said.out.strip()
    out = tmp_path / "out.xml"
    given = ["upload", str(INCIDENT), "--fail-on", "warning", "--junit", str(out)]
    assert main([*given, *baseline]) == 1
    assert "new, critical: tuple-collision" in capsys.readouterr().out
    assert int(ElementTree.parse(out).getroot().get("failures", "0")) >= 2
    # The same base by its link.
    assert main([*given, "--server", product.address, "--baseline", first]) == 1
    assert main(["compare", first, first, "--fail-on", "info"]) == 0


def test_without_a_baseline_the_report_is_judged_and_written(
    product: Product, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("hello\n")
    forms = [text for form in ("json", "junit", "sarif") for text in (f"--{form}", str(tmp_path / form))]
    given = ["upload", str(INCIDENT), str(notes), "--server", product.address, "--wait", *forms]
    assert main([*given, "--fail-on", "snat-port-race"]) == 1
    said = capsys.readouterr()
    assert "notes.txt: " in said.err
    assert "SNAT tuple collision" in said.out
    assert json.loads((tmp_path / "json").read_text())["schema"] == "stallscope.report/1"
    cases = ElementTree.parse(tmp_path / "junit").getroot().iter("testcase")
    assert {"stallscope.tuple-collision", "stallscope.syn-retransmission"} <= {
        c.get("classname") for c in cases
    }
    (run,) = json.loads((tmp_path / "sarif").read_text())["runs"]
    assert {result["level"] for result in run["results"]} == {"error"}
    assert all(result["locations"] for result in run["results"])


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
    notes = tmp_path / "notes.bin"
    notes.write_bytes(bytes(range(256)) * 4)
    assert main(["upload", str(notes), "--server", product.address, "--wait"]) == 2
