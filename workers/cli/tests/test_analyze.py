import json
from pathlib import Path
from typing import NoReturn

import pytest

from backend.forensics.diagnosis import run as diagnosis
from backend.forensics.isolation import Isolation
from workers.cli.main import main

SAMPLES = Path(__file__).parents[2] / "decode" / "dumps" / "tests" / "samples"
STATS = str(SAMPLES / "conntrack-S.txt")


def test_json_on_standard_output_is_nothing_but_the_report(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["analyze", STATS, "--json", "-", "--label", "here"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["schema"] == "stallscope.report/1"
    assert report["label"] == "here"
    assert [part["name"] for part in report["inputs"]] == ["conntrack-S.txt"]


def test_files_are_written_and_the_verdict_is_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--json", str(tmp_path / "r.json"), "--markdown", str(tmp_path / "r.md")]
    assert main(["analyze", STATS, *arguments]) == 0
    assert json.loads((tmp_path / "r.json").read_text())["tool"]["version"]
    assert (tmp_path / "r.md").read_text().startswith("# conntrack-S.txt\n")
    assert "What was read" in capsys.readouterr().out


def test_an_unreadable_file_is_named_and_the_rest_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "notes.txt").write_text("hello\n")
    assert main(["analyze", STATS, str(tmp_path / "notes.txt"), str(tmp_path / "gone.pcap")]) == 0
    said = capsys.readouterr()
    assert "notes.txt: text, 1 line, 1 not understood" in said.out
    assert "gone.pcap: cannot be opened" in said.err
    assert "conntrack-S.txt: conntrack-stats" in said.out


def test_no_readable_file_at_all_is_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["analyze", str(tmp_path / "gone.pcap")]) == 2
    assert main(["analyze", str(tmp_path)]) == 2
    assert "none of the files could be read" in capsys.readouterr().err


@pytest.mark.parametrize(
    "options",
    [
        ["--fail-on", "eror"],
        ["--at", "conntrack-S.txt=yesterday"],
        ["--at", "other.txt=2026-11-21T00:00:00Z"],
        ["--host", "node-7"],
        ["--json", "-", "--markdown", "-"],
        ["--json", "/no/such/folder/r.json"],
    ],
)
def test_wrong_usage_is_2_and_one_sentence(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["analyze", STATS, *options]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("stallscope: ")
    assert said.err.count("\n") == 1


def test_a_time_and_a_host_given_reach_the_report(capsys: pytest.CaptureFixture[str]) -> None:
    given = ["--at", "conntrack-S.txt=2026-11-21T00:58:22Z", "--host", "conntrack-S.txt=node-7"]
    assert main(["analyze", STATS, *given, "--json", "-"]) == 0
    (part,) = json.loads(capsys.readouterr().out)["inputs"]
    assert part["captured_at"].startswith("2026-11-21T00:58:22")
    assert (part["captured_at_basis"], part["host"]) == ("given", "node-7")


def test_the_order_of_the_files_changes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    files = [STATS, str(SAMPLES / "conntrack-L.txt"), str(SAMPLES / "uname-a.txt")]
    reports = []
    for order in (files, files[::-1]):
        assert main(["analyze", *order, "--json", "-"]) == 0
        reports.append(json.loads(capsys.readouterr().out) | {"created": "", "timings": []})
    assert json.dumps(reports[0]) == json.dumps(reports[1])


def test_the_labs_race_fails_a_gate_on_its_cause(
    extra_captures: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    race = extra_captures / "lab" / "snat-race"
    files = [
        race / name
        for name in ("any.pcap", "conntrack-S-before.txt", "conntrack-S-after.txt", "conntrack-E.txt")
    ]
    given = [str(file) for file in files]
    assert main(["analyze", *given, "--fail-on", "snat-port-race"]) == 1
    assert main(["analyze", *given, "--fail-on", "dns-delay"]) == 0
    quiet = extra_captures / "lab" / "snat-race-healthy" / "any.pcap"
    capsys.readouterr()
    assert main(["analyze", str(quiet), "--fail-on", "info"]) == 0
    assert "healthy" not in capsys.readouterr().out.replace("snat-race-healthy", "")


def test_a_cause_that_breaks_is_a_line_and_no_more(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["analyze", "--label", "x", "--json", "-", STATS]) == 0
    whole = json.loads(capsys.readouterr().out)

    def broken(*_: object) -> NoReturn:
        raise KeyError("192.0.2.1")

    monkeypatch.setattr(Isolation, "strict", False)
    monkeypatch.setattr(diagnosis, "discover_causes", lambda: (("dnat-race", broken),))
    assert main(["analyze", "--label", "x", "--json", "-", STATS]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [c["kind"] for c in found["checked"] if c["status"] == "failed"] == ["cause:dnat-race"]
    assert found["findings"] == whole["findings"]
    assert found["inputs"] == whole["inputs"]
