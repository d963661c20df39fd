"""A fact of a real incident that cannot be had takes the answers that need it, and no other part of the report."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

import pytest

from backend.api.tests.running_product import DEMO
from backend.forensics.evidence.facts import Facts
from backend.forensics.isolation import Isolation
from backend.forensics.report import Report
from backend.forensics.tests.misbehaving import fail
from workers.ingested import Ingested
from workers.pipeline import analyse, ingest_file

FACTS = [name for name, member in vars(Facts).items() if isinstance(member, cached_property)]
NEEDED_FOR_ADVICE = "listed_hosts"


@pytest.fixture(autouse=True)
def _as_for_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Isolation, "strict", False)


@pytest.fixture(scope="module", params=["snat-race", pytest.param("rx-backlog", marks=pytest.mark.long)])
def ingested(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Ingested]:
    folder = tmp_path_factory.mktemp("files")
    files = [path for path in sorted((DEMO / request.param).iterdir()) if path.name != "demo.json"]
    return [ingest_file(path, name=path.name, folder=folder / path.name) for path in files]


@pytest.fixture(scope="module")
def whole(ingested: list[Ingested]) -> Report:
    return analysed(ingested)


def analysed(ingested: list[Ingested], folder: Path | None = None) -> Report:
    return analyse(ingested, label="x", created="2026-01-01T00:00:00Z", tool_version="0", folder=folder)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.long] * (name != NEEDED_FOR_ADVICE)) for name in FACTS]
)
def test_the_rest_of_the_report_stands(
    name: str, ingested: list[Ingested], whole: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Facts, name, property(fail))
    report = analysed(ingested)
    failed = {each.kind: each.why for each in report.checked if each.status == "failed"}
    assert all("BrokenError" in why for why in failed.values())
    kept = [each.id for each in whole.findings if each.kind not in failed]
    assert [each.id for each in report.findings] == kept
    if name == NEEDED_FOR_ADVICE:
        assert "report:advice" in failed
        assert report.diagnoses
