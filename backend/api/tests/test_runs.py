"""Runs by label, page by page, with their newest comparison."""

from __future__ import annotations

import httpx

from backend.api.tests.test_comparisons import BAD, HEALTHY, finish_with
from backend.storage import investigations
from backend.storage.store import Store

ADDRESS = "/api/v1/runs"


def test_runs_stand_under_their_labels_with_what_became_of_them(client: httpx.Client, store: Store) -> None:
    base = finish_with(store, client, HEALTHY)
    bad = finish_with(store, client, BAD)
    waiting = client.post("/api/v1/investigations", json={"label": "nightly"}).json()["id"]
    client.post("/api/v1/investigations", json={})
    finish_with(store, client, HEALTHY, "checkout")
    client.post(f"/api/v1/investigations/{bad}/comparisons", json={"base": base})
    checkout, nightly = client.get(ADDRESS).json()["items"]
    assert (checkout["label"], checkout["runs_total"]) == ("checkout", 1)
    assert [(run["id"], run["analysis"]) for run in nightly["runs"]] == [
        (waiting, None),
        (bad, "finished"),
        (base, "finished"),
    ]
    assert [(run["base_id"], run["verdict"]) for run in nightly["runs"]] == [
        (None, None),
        (base, "worse"),
        (None, None),
    ]
    assert nightly["next_cursor"] is None


def test_a_comparison_of_other_files_counts_no_more(client: httpx.Client, store: Store) -> None:
    base, bad = finish_with(store, client, HEALTHY), finish_with(store, client, BAD)
    client.post(f"/api/v1/investigations/{bad}/comparisons", json={"base": base})
    with store.database.writing() as session:
        generation = investigations.request_analysis(session, base)
        investigations.set_analysis(session, base, generation, "finished")
    (nightly,) = client.get(ADDRESS).json()["items"]
    assert {run["verdict"] for run in nightly["runs"]} == {None}


def test_labels_and_runs_are_paged(client: httpx.Client, store: Store) -> None:
    made = [
        client.post("/api/v1/investigations", json={"label": f"label {number % 5}"}).json()["id"]
        for number in range(125)
    ]
    seen: list[str] = []
    cursor = None
    while True:
        page = client.get(ADDRESS, params={"limit": 2, **({"cursor": cursor} if cursor else {})}).json()
        seen += [group["label"] for group in page["items"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert seen == [f"label {number}" for number in (4, 3, 2, 1, 0)]
    first = client.get(ADDRESS).json()["items"][0]
    assert (first["runs_total"], len(first["runs"])) == (25, 20)
    rest = {"label": "label 4", "limit": 3, "cursor": first["next_cursor"]}
    behind = client.get(f"{ADDRESS}/of-label", params=rest).json()
    last = client.get(f"{ADDRESS}/of-label", params={**rest, "cursor": behind["next_cursor"]}).json()
    ids = [run["id"] for run in (*first["runs"], *behind["items"], *last["items"])]
    assert sorted(ids) == sorted(made[4::5])
    assert last["next_cursor"] is None


def test_a_demonstration_is_no_run(client: httpx.Client, store: Store) -> None:
    with store.database.writing() as session:
        investigations.add_investigation(session, "d1", "nightly", demo="snat-race")
    assert client.get(ADDRESS).json()["items"] == []
    assert client.get(f"{ADDRESS}/of-label", params={"label": "nightly"}).json()["items"] == []
