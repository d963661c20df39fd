"""Real children whose analysis has parts that do what none should: a report comes all the same, and says which."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from backend.forensics.detection import run as detection
from backend.forensics.detection.discovery import discover_detectors, list_kinds
from backend.forensics.diagnosis import run as diagnosis
from backend.forensics.diagnosis.causes import list_causes
from backend.forensics.report import Report
from backend.forensics.tests.misbehaving import DEADLY, STOPPED
from backend.limits import Limits
from workers.decode.left_out import LeftOut
from workers.jobs import judge_in_child as judging_child
from workers.jobs.judge_in_child import DecodedFile, Judged, StageReached, Terms, judge_in_child
from workers.jobs.judge_surviving import judge_surviving
from workers.pipeline import ingest_file
from workers.running_part import MOST_LEFT_OUT
from workers.sandbox import Access, ChildDied, ChildPool, Notify, child_work

DEMO = Path(__file__).parents[3] / "backend" / "demo" / "rx-backlog"
LIMITS = Limits(part_cpu_s=1, part_memory_bytes=256 << 20)
CAUSES = sorted({*list_causes()} - {"unknown"})
MISBEHAVIORS: dict[str, Any] = {name: misbehave for name, (misbehave, _) in {**STOPPED, **DEADLY}.items()}


@child_work(news=StageReached)
def judge_misbehaving(
    misbehaving: dict[str, str], files: list[DecodedFile], folder: Path, terms: Terms, notify: Notify
) -> Judged:
    """As `judge_in_child`, with these parts misbehaving; nothing of it outlives the child."""
    detectors = tuple(
        replace(each, detect=MISBEHAVIORS[misbehaving[each.kind]]) if each.kind in misbehaving else each
        for each in discover_detectors()
    )
    causes: Any = tuple(
        (name, MISBEHAVIORS[misbehaving[f"cause:{name}"]] if f"cause:{name}" in misbehaving else assess)
        for name, assess in diagnosis.discover_causes()
    )
    if "report:outline" in misbehaving:
        vars(judging_child)["write_outline"] = MISBEHAVIORS[misbehaving["report:outline"]]
    vars(detection)["discover_detectors"] = lambda: detectors
    vars(diagnosis)["discover_causes"] = lambda: causes
    return judge_in_child(files, LeftOut(), "checkout", "2026-11-21T00:00:00Z", "0", folder, terms, notify)


@pytest.fixture(scope="module")
def pool() -> Iterator[ChildPool]:
    pool = ChildPool(1, LIMITS, works=(judge_misbehaving,))
    yield pool
    pool.close()


@pytest.fixture(scope="module")
def decoded(tmp_path_factory: pytest.TempPathFactory) -> list[DecodedFile]:
    folder = tmp_path_factory.mktemp("decoded")
    for path in DEMO.glob("sender.pcap.gz"):
        ingest_file(path, name=path.name, folder=folder / path.name)
    return [DecodedFile(each) for each in folder.iterdir()]


class Judging:
    """One analysis, and how many children it took."""

    def __init__(self, pool: ChildPool, decoded: list[DecodedFile], folder: Path) -> None:
        self._pool = pool
        self._decoded = decoded
        self._folder = folder
        self.children = 0

    def report(self, misbehaving: dict[str, str]) -> Report:
        def in_child(terms: Terms) -> Judged:
            self.children += 1
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder.mkdir()
            return self._pool.run(
                judge_misbehaving,
                (misbehaving, self._decoded, self._folder, terms),
                notify=lambda news: None,
                is_wanted=lambda: True,
                access=Access(read=tuple(each.folder for each in self._decoded), write=(self._folder,)),
            )

        judge_surviving(LIMITS, self._folder, in_child)
        assert {path.name for path in self._folder.iterdir()}.isdisjoint({"running", "places"})
        return Report.model_validate_json((self._folder / "report.json").read_bytes())


@pytest.fixture(scope="module")
def healthy(pool: ChildPool, decoded: list[DecodedFile], tmp_path_factory: pytest.TempPathFactory) -> Report:
    return Judging(pool, decoded, tmp_path_factory.mktemp("healthy") / "analysis").report({})


@pytest.fixture
def judging(pool: ChildPool, decoded: list[DecodedFile], tmp_path: Path) -> Judging:
    return Judging(pool, decoded, tmp_path / "analysis")


def failed(report: Report) -> dict[str, str]:
    return {each.kind: each.why for each in report.checked if each.status == "failed"}


def test_parts_that_can_be_stopped_are_stopped(judging: Judging, capsys: pytest.CaptureFixture[str]) -> None:
    parts = dict(zip([list_kinds()[0], f"cause:{CAUSES[0]}", *list_kinds()[1:]], STOPPED, strict=False))
    found = failed(judging.report(parts))
    assert found.keys() == parts.keys()
    assert all(STOPPED[name][1] in found[part] for part, name in parts.items())
    # A second one only where a busy machine lets the hard limit, twice the budget, come first.
    assert judging.children <= 2
    assert capsys.readouterr().out.count("misbehaving.py") >= len(parts)


@pytest.mark.parametrize("name", DEADLY)
@pytest.mark.parametrize("part", [list_kinds()[-1], f"cause:{CAUSES[-1]}"])
def test_a_part_that_ends_its_process_is_left_out(
    judging: Judging, healthy: Report, part: str, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    report = judging.report({part: name})
    assert failed(report).keys() == {part}
    assert DEADLY[name][1] in failed(report)[part]
    # A process that somebody killed gets a second chance.
    assert judging.children == 3 if name == "kill_process" else 2
    others = [each for each in healthy.checked if each.kind != part]
    assert [each for each in report.checked if each.kind != part] == others
    if name in ("run_compiled", "segfault"):
        assert "misbehaving.py" in capsys.readouterr().out


@pytest.mark.long
@pytest.mark.parametrize("name", ["run_for_ever", "allocate_for_ever"])
@pytest.mark.parametrize("part", [*list_kinds(), *(f"cause:{cause}" for cause in CAUSES)])
def test_each_part_may_take_all(judging: Judging, healthy: Report, part: str, name: str) -> None:
    report = judging.report({part: name})
    assert failed(report).keys() == {part}
    # On a busy machine allocating may take more time than it is given, before it takes too much memory.
    assert "the limit part_" in failed(report)[part]
    assert {each.kind for each in report.findings} == {each.kind for each in healthy.findings} - {part}


@pytest.mark.parametrize("name", ["fail", "run_for_ever", "kill_process"])
def test_an_outline_that_cannot_be_made_is_a_line(judging: Judging, healthy: Report, name: str) -> None:
    report = judging.report({"report:outline": name})
    assert failed(report).keys() == {"report:outline"}
    assert report.findings == healthy.findings
    assert [each for each in report.checked if each.status != "failed"] == healthy.checked


def test_too_many_parts_that_end_their_process_end_the_analysis(judging: Judging) -> None:
    parts = dict.fromkeys(list_kinds()[: MOST_LEFT_OUT + 1], "leave_process")
    with pytest.raises(ChildDied):
        judging.report(parts)
    assert judging.children == MOST_LEFT_OUT + 1
