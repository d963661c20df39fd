"""Comparisons through the API: over reports as a worker writes them."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import httpx
import pytest

from backend.forensics.comparison.tests.build_report import destination, finding, report
from backend.forensics.report import Report
from backend.storage import investigations
from backend.storage.store import Store

HEALTHY = report(destination())
BAD = report(destination(sent_again=50), findings=[finding(count=50)])


def finish_with(store: Store, client: httpx.Client, content: Report, label: str = "nightly") -> str:
    """Id of an investigation with that report."""
    found: str = client.post("/api/v1/investigations", json={"label": label}).json()["id"]
    with store.database.writing() as session:
        generation = investigations.request_analysis(session, found)
        investigations.set_analysis(session, found, generation, "finished")
    folder = store.analysis_folder(found)
    folder.mkdir(parents=True)
    (folder / "report.json").write_text(content.model_dump_json(by_alias=True))
    return found


def _address(investigation: str) -> str:
    return f"/api/v1/investigations/{investigation}/comparisons"


def test_a_comparison_is_made_once_and_kept(client: httpx.Client, store: Store) -> None:
    base, candidate = finish_with(store, client, HEALTHY), finish_with(store, client, BAD)
    made = client.post(_address(candidate), json={"base": base})
    assert made.status_code == 201
    assert made.json()["verdict"] == "worse"
    again = client.post(_address(candidate), json={"base": base})
    assert again.json()["id"] == made.json()["id"]
    [listed] = client.get(_address(candidate)).json()["items"]
    assert (listed["base_id"], listed["up_to_date"]) == (base, True)
    content = client.get(made.headers["location"]).json()
    assert content["schema"] == "stallscope.comparison/1"
    assert content["base"]["investigation_id"] == base
    assert [(f["kind"], f["state"]) for f in content["findings"]] == [("syn-retransmission", "new")]


def test_it_is_told_when_the_files_changed_since(client: httpx.Client, store: Store) -> None:
    base, candidate = finish_with(store, client, HEALTHY), finish_with(store, client, BAD)
    first = client.post(_address(candidate), json={"base": base}).json()
    with store.database.writing() as session:
        generation = investigations.request_analysis(session, base)
        investigations.set_analysis(session, base, generation, "finished")
    [listed] = client.get(_address(candidate)).json()["items"]
    assert listed["up_to_date"] is False
    assert client.post(_address(candidate), json={"base": base}).json()["id"] != first["id"]


@pytest.mark.parametrize(
    ("form", "media_type"),
    [("junit", "application/xml"), ("sarif", "application/sarif+json"), ("markdown", "text/markdown")],
)
def test_it_is_given_in_other_forms(client: httpx.Client, store: Store, form: str, media_type: str) -> None:
    base, candidate = finish_with(store, client, HEALTHY), finish_with(store, client, BAD)
    made = client.post(_address(candidate), json={"base": base})
    answer = client.get(made.headers["location"], params={"format": form})
    assert answer.headers["content-type"].startswith(media_type)
    if form == "junit":
        assert ElementTree.fromstring(answer.text).get("failures") == "2"
    elif form == "sarif":
        assert json.loads(answer.text)["version"] == "2.1.0"
    else:
        assert answer.text.startswith("# Worse: nightly against nightly\n")


def test_the_latest_of_a_label_is_the_newest_other_one_that_finished(
    client: httpx.Client, store: Store
) -> None:
    finish_with(store, client, BAD)
    newest = finish_with(store, client, HEALTHY)
    client.post("/api/v1/investigations", json={"label": "nightly"})
    candidate = finish_with(store, client, BAD)
    assert client.post(_address(candidate), json={"base": "latest:nightly"}).json()["base_id"] == newest
    assert client.post(_address(candidate), json={"base": "latest:weekly"}).status_code == 404


def test_what_cannot_be_compared_is_refused_in_a_sentence(client: httpx.Client, store: Store) -> None:
    candidate = finish_with(store, client, BAD)
    empty = client.post("/api/v1/investigations", json={"label": "x"}).json()["id"]
    for base, code in ((empty, 409), ("abcdef", 404), (candidate, 400), ("", 404)):
        answer = client.post(_address(candidate), json={"base": base})
        assert answer.status_code == code
        assert answer.json()["detail"].endswith(".")
    assert client.post(_address(empty), json={"base": candidate}).status_code == 409
    assert client.get(_address("abcdef")).status_code == 404
    assert client.get(f"{_address(candidate)}/abcdef").status_code == 404


def test_a_comparison_goes_with_either_investigation(client: httpx.Client, store: Store) -> None:
    base, candidate = finish_with(store, client, HEALTHY), finish_with(store, client, BAD)
    client.post(_address(candidate), json={"base": base})
    client.delete(f"/api/v1/investigations/{base}")
    assert client.get(_address(candidate)).json()["items"] == []
