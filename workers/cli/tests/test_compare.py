"""`stallscope compare`, from its arguments to its files and exit codes."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from backend.forensics.comparison.tests.build_report import destination, finding, report
from backend.forensics.report import Report
from workers.cli.main import main

DEMO = Path(__file__).parents[3] / "backend" / "demo"


def _saved(folder: Path, name: str, content: Report) -> str:
    path = folder / name
    path.write_text(content.model_dump_json(by_alias=True))
    return str(path)


@pytest.fixture
def good(tmp_path: Path) -> str:
    return _saved(tmp_path, "good.json", report(destination()))


@pytest.fixture
def bad(tmp_path: Path) -> str:
    return _saved(tmp_path, "bad.json", report(destination(sent_again=50), findings=[finding(count=50)]))


def test_a_report_against_itself_is_0_whatever_fails(
    good: str, bad: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for each in (good, bad):
        assert main(["compare", each, each, "--fail-on", "info"]) == 0
        assert capsys.readouterr().out.startswith("SAME  N")


@pytest.mark.parametrize(
    ("fail_on", "code"),
    [("", 0), ("warning", 1), ("critical", 0), ("syn-retransmission", 1), ("dns-delay", 0), ("info", 1)],
)
def test_fail_on_looks_at_what_is_new_or_worse(good: str, bad: str, fail_on: str, code: int) -> None:
    assert main(["compare", good, bad, "--fail-on", fail_on]) == code


def test_what_became_better_fails_nothing(good: str, bad: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", bad, good, "--fail-on", "info"]) == 0
    assert capsys.readouterr().out.startswith("BETTER  syn-retransmission gone")


def test_the_terminal_says_what_changed_and_how_it_was_judged(
    good: str, bad: str, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["compare", good, bad])
    text = capsys.readouterr().out
    assert text.startswith("WORSE  syn-retransmission new at 10.0.0.2:80")
    assert (
        "* new, warning: syn-retransmission at 10.0.0.2:80\n    50 of 500 attempts, none in the base\n"
        in text
    )
    assert "50 of 500 attempts against 0 of 500" in text
    assert "Method of the comparison" in text


def test_all_forms_are_written(good: str, bad: str, tmp_path: Path) -> None:
    forms = ("json", "junit", "sarif", "markdown")
    options = [text for form in forms for text in (f"--{form}", str(tmp_path / f"out.{form}"))]
    assert main(["compare", good, bad, *options]) == 0
    comparison = json.loads((tmp_path / "out.json").read_text())
    assert (comparison["schema"], comparison["verdict"]) == ("stallscope.comparison/1", "worse")
    suite = ElementTree.fromstring((tmp_path / "out.junit").read_text())
    assert (suite.get("tests"), suite.get("failures")) == ("2", "2")
    assert {case.get("classname") for case in suite.iter("testcase")} == {
        "stallscope.syn-retransmission",
        "stallscope.sent-again",
    }
    results = json.loads((tmp_path / "out.sarif").read_text())["runs"][0]["results"]
    assert [(r["ruleId"], r["level"], r["baselineState"]) for r in results] == [
        ("syn-retransmission", "warning", "new"),
        ("sent-again", "warning", "updated"),
    ]
    markdown = (tmp_path / "out.markdown").read_text()
    assert markdown.startswith("# Worse: run against run\n")
    assert "| new | warning | syn-retransmission at 10.0.0.2:80 |" in markdown


def test_texts_of_a_report_steer_neither_terminal_nor_markup(
    good: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    evil = "\x1b[2J<script>|[x](http://e)\x00"
    named = report(destination(), findings=[finding(count=50, at=evil)]).model_copy(update={"label": evil})
    bad = _saved(tmp_path, "evil.json", named)
    assert main(["compare", good, bad]) == 0
    assert "\x1b" not in capsys.readouterr().out
    for form, forbidden in (("markdown", "<script>"), ("junit", "\x00")):
        assert main(["compare", good, bad, f"--{form}", str(tmp_path / form)]) == 0
        assert forbidden not in (tmp_path / form).read_text()
    ElementTree.fromstring((tmp_path / "junit").read_text())


def test_a_directory_and_a_capture_are_analysed_here(capsys: pytest.CaptureFixture[str]) -> None:
    healthy, incident = DEMO / "snat-race-healthy", DEMO / "snat-race" / "three-interfaces.pcapng"
    assert main(["compare", str(healthy), str(incident), "--fail-on", "snat-port-race"]) == 1
    said = capsys.readouterr()
    assert "new: SNAT source-port collision" in said.out
    assert "--fail-on: snat-port-race (new)" in said.err


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"schema": "stallscope.report/1"}', "not a report of this version"),
        ('{"schema": "stallscope.comparison/1"}', "stallscope.comparison/1, not a report"),
        ('{"schema": "stallscope.report/1", ', "invalid JSON"),
        ("hello\n", "nothing of"),
    ],
)
def test_what_is_no_report_and_no_evidence_is_2(
    good: str, content: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "given.json").write_text(content)
    assert main(["compare", good, str(tmp_path / "given.json")]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ["--fail-on", "eror"],
        ["--json", "-", "--markdown", "-"],
        ["--junit", "/no/such/folder/out.xml"],
    ],
)
def test_wrong_usage_is_2_and_one_sentence(
    good: str, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", good, good, *arguments]) == 2
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)


def test_what_is_not_there_is_2(good: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", good, "/no/such/file"]) == 2
    assert "there is no file or directory /no/such/file" in capsys.readouterr().err
