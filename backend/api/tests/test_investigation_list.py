"""The list of investigations: where each came from, and filters over all of it."""

from __future__ import annotations

import httpx
import pytest

from backend.services import create_investigation as service
from backend.storage import investigations
from backend.storage.store import Store

URL = "/api/v1/investigations"


def _finished(store: Store, label: str, *, kinds: list[str], hosts: list[str], statement: str = "") -> str:
    made = service.create_investigation(store, label).id
    verdict = {
        "cause": "path-loss",
        "title": "Packet loss on the path",
        "verdict": "likely",
        "statement": statement,
        "role": "loss",
    }
    with store.database.writing() as session:
        generation = investigations.request_analysis(session, made)
        summary = {"verdict": verdict, "time_lost_s": 1.0, "findings": 1, "kinds": kinds, "hosts": hosts}
        investigations.set_analysis(session, made, generation, "finished", summary=summary)
    return made


@pytest.mark.parametrize("source", ["browser", "ci", "api"])
def test_an_investigation_says_where_it_came_from(client: httpx.Client, source: str) -> None:
    made = client.post(URL, json={"label": "x", "source": source})
    assert made.json()["source"] == source
    assert client.get(made.headers["location"]).json()["source"] == source


def test_who_does_not_say_is_a_program(client: httpx.Client) -> None:
    assert client.post(URL, json={"label": "x"}).json()["source"] == "api"
    assert client.post(URL, json={"label": "x", "source": "elsewhere"}).status_code == 422


@pytest.mark.parametrize(
    ("asked", "labels"),
    [
        ({}, ["empty", "nightly", "Checkout"]),
        ({"q": "checkOUT"}, ["Checkout"]),
        ({"q": "9 of 10"}, ["nightly"]),
        ({"q": "loss on the path"}, ["nightly", "Checkout"]),
        ({"label": "nightly"}, ["nightly"]),
        ({"label": "night"}, []),
        ({"kind": "zero-window"}, ["Checkout"]),
        ({"kind": "zero"}, []),
        ({"kind": "path-loss"}, []),  # a cause, and none of the detectors
        ({"host": "node-7"}, ["nightly", "Checkout"]),
        ({"host": "node-7", "kind": "dns-delay"}, ["nightly"]),
        ({"q": "", "kind": ""}, ["empty", "nightly", "Checkout"]),
    ],
)
def test_the_list_is_narrowed(
    client: httpx.Client, store: Store, asked: dict[str, str], labels: list[str]
) -> None:
    _finished(store, "Checkout", kinds=["zero-window"], hosts=["node-7"])
    _finished(
        store, "nightly", kinds=["dns-delay"], hosts=["node-7", "node-8"], statement="9 of 10 were lost."
    )
    client.post(URL, json={"label": "empty"})
    found = client.get(URL, params=asked).json()["items"]
    assert [each["label"] for each in found] == labels
    for each in found:
        if each["label"] == "nightly":
            assert (each["finding_kinds"], each["hosts"]) == (["dns-delay"], ["node-7", "node-8"])


def test_pages_of_a_narrowed_list_follow_one_another(
    client: httpx.Client, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "READ_AT_ONCE", 2)  # so that a page is gathered from several reads
    for number in range(7):
        client.post(URL, json={"label": f"{'odd' if number % 2 else 'even'} {number}"})
    seen, cursor = [], None
    while True:
        page = client.get(
            URL, params={"q": "even", "limit": 2, **({"cursor": cursor} if cursor else {})}
        ).json()
        seen.append([each["label"] for each in page["items"]])
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert seen == [["even 6", "even 4"], ["even 2", "even 0"]]
