"""The client against a running product: from the first file to the share link."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from backend.api.tests.running_product import DEMO, Product, running_product
from backend.client import Investigation, NotFinished, Problem, Sent, Stallscope, open_link

REPOSITORY = Path(__file__).parents[3]
CAPTURE = DEMO / "snat-race" / "three-interfaces.pcapng"
COUNTERS = "cpu=0 found=1 insert_failed=3 search_restart=0\n"


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    with running_product(tmp_path_factory.mktemp("product")) as running:
        yield running


@pytest.fixture(scope="module")
def server(product: Product) -> Iterator[Stallscope]:
    with Stallscope(product.address, token="") as opened:
        yield opened


@pytest.fixture(scope="module")
def incident(server: Stallscope) -> Investigation:
    made = server.create_investigation("incident")
    sent: list[Sent] = []
    file = made.upload(CAPTURE, name="été #1.pcapng", progress=sent.append)
    assert (file.name, file.status, file.size_bytes) == ("été #1.pcapng", "stored", CAPTURE.stat().st_size)
    assert sent[-1] == Sent("été #1.pcapng", file.size_bytes, file.size_bytes)
    made.add_text(COUNTERS, name="S.txt", host="node-7", captured_at=datetime(2026, 11, 21, tzinfo=UTC))
    made.wait(timeout_s=180)
    return made


def test_nothing_else_of_stallscope_is_imported() -> None:
    script = (
        "import sys, backend.client\n"
        "print([m for m in sys.modules if m.split('.')[0] in ('backend', 'workers')"
        " and m != 'backend' and not m.startswith('backend.client')])\n"
        "print([m for m in ('fastapi', 'sqlalchemy', 'pydantic', 'numpy', 'duckdb') if m in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n[]\n"


def test_the_report_and_its_lists(incident: Investigation) -> None:
    report = incident.report()
    assert report["schema"] == "stallscope.report/1"
    assert {each["name"]: each["host"] for each in report["inputs"]}["S.txt"] == "node-7"
    assert [each["id"] for each in incident.findings()] == [each["id"] for each in report["findings"]]
    assert [each["cause"] for each in incident.diagnoses()] == [d["cause"] for d in report["diagnoses"]]
    assert incident.report_text("sarif").startswith("{")
    assert incident.about().analysis == "finished"
    assert [each["kind"] for each in incident.dumps()] == ["conntrack-stats"]
    assert incident.timeline(px=100)["marks"]


def test_lists_are_read_page_by_page(incident: Investigation) -> None:
    connections = list(incident.connections(limit=100, sort="start"))
    assert len(connections) == 600
    assert len({each["cid"] for each in connections}) == 600
    assert next(incident.packets(filter="tcp.flags.syn == 1"))["frame"] >= 1
    assert list(incident.requests(limit=1, q="nothing has this")) == []
    assert next(incident.round_trips(limit=10))["rtt_ms"] > 0


def test_a_comparison_and_a_link(server: Stallscope, incident: Investigation) -> None:
    later = server.create_investigation("later")
    later.add_text(COUNTERS)
    later.wait(timeout_s=180)
    assert incident.compare(later)["base"]["label"] == "later"
    assert incident.compare("latest:later")["candidate"]["label"] == "incident"
    link = incident.share(expires_days=2, password="correct horse")
    with pytest.raises(Problem) as refused:
        open_link(link.url, password="battery staple")
    assert refused.value.status == 403
    with open_link(link.url, password="correct horse") as shared:
        assert shared.id is None
        assert shared.about().analysis == "finished"
        assert len(list(shared.findings())) == len(list(incident.findings()))
    incident.revoke(link.id)
    with pytest.raises(Problem) as gone:
        open_link(link.url, password="correct horse")
    assert gone.value.status == 410
    later.rename("gone soon")
    assert "gone soon" in [each.label for each in server.investigations()]
    later.delete()
    with pytest.raises(Problem, match="no such investigation") as missing:
        later.about()
    assert (missing.value.status, missing.value.title) == (404, f"{server.address} refused")


def test_what_cannot_be_done_is_a_problem_in_words(
    server: Stallscope, incident: Investigation, tmp_path: Path
) -> None:
    (tmp_path / "x.docx").write_bytes(b"PK\x03\x04" + bytes(26) + b"word/document.xml")
    with pytest.raises(Problem) as refused:
        incident.upload(tmp_path / "x.docx")
    assert refused.value.status == 415
    with pytest.raises(Problem) as filter_wrong:
        next(incident.packets(filter="tcp.flags.syn =="))
    assert filter_wrong.value.members  # where it is wrong
    with pytest.raises(NotFinished, match="not begun") as late:
        server.create_investigation().wait(timeout_s=0)
    assert late.value.status is None
    with Stallscope("http://127.0.0.1:9", token="") as nowhere, pytest.raises(Problem) as absent:
        nowhere.create_investigation()
    assert absent.value.status is None
    with pytest.raises(ValueError, match="looks like"):
        Stallscope("127.0.0.1:8000")
    with pytest.raises(ValueError, match="time zone"):
        incident.upload(CAPTURE, captured_at=datetime(2026, 11, 21))


def test_an_analysis_that_is_called_off_or_finds_nothing_to_read(server: Stallscope, tmp_path: Path) -> None:
    (tmp_path / "blank.txt").write_text("\n \n")
    made = server.create_investigation("blank")
    made.upload(tmp_path / "blank.txt")
    with pytest.raises(NotFinished, match="the analysis failed: ") as failed:
        made.wait(timeout_s=180)
    assert failed.value.analysis == "failed"


EXAMPLES = re.findall(r"```python\n(.*?)```", (REPOSITORY / "docs" / "client.md").read_text(), re.DOTALL)


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_the_examples_run_as_written(product: Product, tmp_path: Path, number: int) -> None:
    shutil.copytree(DEMO / "snat-race", tmp_path / "captures", ignore=shutil.ignore_patterns("*.json"))
    shutil.copytree(DEMO / "snat-race-healthy", tmp_path / "before", ignore=shutil.ignore_patterns("*.json"))
    with product.client() as client:
        options = {"name": f"example {number}", "scope": "upload", "expires_days": 1}
        token = client.post("/tokens", json=options).raise_for_status().json()["token"]
    environment = {"PYTHONPATH": str(REPOSITORY), "PATH": os.environ["PATH"]}
    done = subprocess.run(
        [sys.executable, "-c", EXAMPLES[number]],
        cwd=tmp_path,
        env={**environment, "STALLSCOPE_URL": product.address, "STALLSCOPE_TOKEN": token},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    expected = ("confirmed 29 of 600", "\nworse Worse: ", "findings in nightly")
    assert expected[number] in done.stdout
