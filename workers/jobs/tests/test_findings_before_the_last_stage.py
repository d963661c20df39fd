"""What the judging child tells while it works."""

from __future__ import annotations

from pathlib import Path

from workers.decode.left_out import LeftOut
from workers.jobs.analyse_investigation import DETECT, DIAGNOSE, StageReached, judge_in_child
from workers.jobs.decode_file import DecodedFile
from workers.pipeline import ingest_file

DEMO = Path(__file__).parents[3] / "backend" / "demo" / "snat-race"


def test_the_first_finding_is_told_before_the_last_stage(tmp_path: Path) -> None:
    files = []
    for path in sorted(DEMO.glob("*.pcapng")):
        ingest_file(path, name=path.name, folder=tmp_path / path.name)
        files.append(DecodedFile(tmp_path / path.name))
    told: list[StageReached] = []

    def tell(news: object) -> None:
        assert isinstance(news, StageReached)
        told.append(news)

    judge_in_child(files, LeftOut(), "checkout", "2026-11-21T00:00:00Z", "0", tmp_path / "analysis", tell)
    first = next(news for news in told if news.findings)
    assert (first.stage_number, first.findings) == (DETECT, 2)
    assert told[-1].stage_number == DIAGNOSE
    assert [news.stage_number for news in told] == sorted(news.stage_number for news in told)
