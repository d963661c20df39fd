"""Notes in the report that a server hands out, and which diagnosis a disagreement is about."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import pytest
from jsonschema import Draft202012Validator

from backend.forensics.report import (
    ClaimPart,
    DiagnosisPart,
    EvidencePart,
    FindingPart,
    InputPart,
    LanePart,
    Report,
    ToolPart,
)
from backend.services.publish_report_schema import PUBLISHED
from backend.storage.store import Store

FIRST = "2026-11-21T00:00:01.000000005Z"
EVIDENCE = [EvidencePart(input="node.pcap", frames=[7])]


def _diagnosis(number: int, *findings: str) -> DiagnosisPart:
    return DiagnosisPart(
        id=f"path-loss-{number}",
        cause="path-loss",
        title="Lost on the way",
        confidence=0.8,
        verdict="likely",
        statement=f"{number} of 9 were lost.",
        claims=[ClaimPart(role="for", text="It never came.", evidence=EVIDENCE)],
        findings=list(findings),
    )


def _finding(number: int) -> FindingPart:
    return FindingPart(
        id=f"data-retransmission-{number}",
        kind="data-retransmission",
        severity="warning",
        confidence=0.8,
        title="Sent again",
        summary="",
        count=1,
        first=FIRST,
        last=FIRST,
        time_lost_s=1.0,
        measures={},
        evidence=EVIDENCE,
    )


def _report() -> Report:
    both = "data-retransmission-3"
    return Report(
        schema="stallscope.report/1",
        label="noted",
        created=FIRST,
        tool=ToolPart(version="0"),
        inputs=[
            InputPart(
                name="node.pcap",
                sha256="ab",
                kind="capture",
                format="pcap",
                packets=9,
                first=FIRST,
                last=FIRST,
            )
        ],
        findings=[_finding(number) for number in (1, 2, 3)],
        diagnoses=[
            _diagnosis(1, "data-retransmission-1", both),
            _diagnosis(2, "data-retransmission-2", both),
        ],
        checked=[],
        lanes=[
            LanePart(id="node.pcap#0", name="eth0", role="uplink", captured=True, first=FIRST, last=FIRST)
        ],
    )


@pytest.fixture
def investigation(client: httpx.Client, store: Store) -> str:
    """One with a report, which no worker wrote."""
    place = str(client.post("/api/v1/investigations", json={"label": "noted"}).headers["location"])
    folder: Path = store.analysis_folder(place.rsplit("/", 1)[1])
    folder.mkdir(parents=True)
    (folder / "report.json").write_text(_report().model_dump_json(by_alias=True))
    return place


def _disagree(client: httpx.Client, place: str, **about: str) -> httpx.Response:
    return client.post(
        f"{place}/notes", json={"kind": "disagreement", "text": "no", "author": "bob", **about}
    )


@pytest.mark.parametrize(
    ("about", "found"),
    [
        ({"diagnosis": "path-loss-2"}, "path-loss-2"),
        ({"diagnosis": "path-loss-1", "cause": "path-loss"}, "path-loss-1"),
        ({"cause": "path-loss", "finding": "data-retransmission-2"}, "path-loss-2"),
        ({"diagnosis": "path-loss-2", "finding": "data-retransmission-3"}, "path-loss-2"),
    ],
)
def test_a_disagreement_is_about_one_diagnosis(
    client: httpx.Client, investigation: str, about: dict[str, str], found: str
) -> None:
    made = _disagree(client, investigation, **about).json()
    assert (made["diagnosis"], made["cause"]) == (found, "path-loss")


@pytest.mark.parametrize(
    ("about", "status", "part"),
    [
        ({"cause": "path-loss"}, 400, "2 diagnoses name the cause path-loss"),
        ({"cause": "path-loss", "finding": "data-retransmission-3"}, 400, "2 diagnoses"),
        ({"diagnosis": "path-loss-3"}, 404, "no diagnosis path-loss-3"),
        ({"diagnosis": "path-loss-1", "cause": "zero-window"}, 404, "no diagnosis path-loss-1"),
    ],
)
def test_what_names_no_diagnosis_or_several_is_refused(
    client: httpx.Client, investigation: str, about: dict[str, str], status: int, part: str
) -> None:
    refused = _disagree(client, investigation, **about)
    assert (refused.status_code, part in refused.text) == (status, True), refused.text
    assert client.get(f"{investigation}/notes").json()["items"] == []


def test_the_report_holds_what_people_noted_and_is_else_as_it_was_written(
    client: httpx.Client, investigation: str, store: Store
) -> None:
    written = client.get(f"{investigation}/report").content
    file = store.analysis_folder(investigation.rsplit("/", 1)[1]) / "report.json"
    assert written == file.read_bytes()
    client.post(f"{investigation}/notes", json={"text": "here", "from": 999_999_995, "to": 2_000_000_000})
    _disagree(client, investigation, diagnosis="path-loss-2")
    noted = client.get(f"{investigation}/report").json()
    Draft202012Validator(json.loads(PUBLISHED.read_text())).validate(noted)
    at, against = noted["notes"]
    assert (at["start"], at["end"]) == ("2026-11-21T00:00:02.000000000Z", "2026-11-21T00:00:03.000000005Z")
    assert (against["author"], against["diagnosis"], against["start"]) == ("bob", "path-loss-2", None)
    assert {**noted, "notes": []} == json.loads(written)
    text = client.get(f"{investigation}/report?format=markdown").text
    assert text.count("~~**") == 1
    assert "rejects the diagnosis: no" in text
    assert file.read_bytes() == written


def test_a_link_shows_the_report_without_notes(client: httpx.Client, investigation: str) -> None:
    client.post(f"{investigation}/notes", json={"text": "do not tell"})
    made = client.post(f"{investigation}/shares", json={"addresses": "real"}).json()
    session = client.post(f"/api/v1/shared/{made['id']}/session", json={"secret": made["secret"]}).json()
    token = {"X-Stallscope-Share": session["token"]}
    for form in ("json", "markdown"):
        shown = client.get(f"/api/v1/shared/{made['id']}/report?format={form}", headers=token)
        assert shown.status_code == 200
        assert "do not tell" not in shown.text
