"""A frozen link shows what it was made on, as long as it lives; a live one follows."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

from backend.api.tests.running_product import Product
from backend.api.tests.share_links import opened, share
from backend.services.freeze_investigation import clear_ended
from backend.settings import Settings
from backend.storage.store import open_store
from backend.storage.tables import ShareRow

PLACES = (
    *(
        "investigation",
        "files",
        "report",
        "findings",
        "timeline",
        "connections",
        "packets",
        "packets/rail",
        "requests",
    ),
    *("rtt", "dumps", "notes", "files/conntrack-S-before.txt/lines", "frames/three-interfaces.pcapng/40"),
)


@pytest.fixture(scope="module")
def investigation(product: Product) -> str:
    with product.client() as client:
        made: str = client.post("/demo", json={"name": "snat-race"}).json()["id"]
        assert product.wait_until_over(made)["analysis"] == "finished"
        return made


def answers(product: Product, made: dict[str, Any], investigation: str) -> dict[str, str]:
    with opened(product, made, investigation) as link:
        return {place: link.get(place).raise_for_status().text for place in PLACES}


def change_everything(product: Product, investigation: str) -> None:
    """Another label, a note, a file less and one more, and all decoded and analysed anew."""
    with product.client() as client:
        at = f"/investigations/{investigation}"
        client.patch(at, json={"label": "renamed"}).raise_for_status()
        client.post(f"{at}/notes", json={"text": "later"}).raise_for_status()
        client.delete(f"{at}/files/conntrack-S-before.txt").raise_for_status()
        client.put(f"{at}/files/more.txt", content=b"cpu=0 found=1 insert_failed=3\n").raise_for_status()
        product.wait_until_over(investigation)
        client.post(f"{at}/analyses?anew=true").raise_for_status()
        assert product.wait_until_over(investigation)["analysis"] == "finished"


def test_a_frozen_link_stays_as_it_was_and_a_live_one_follows(product: Product, investigation: str) -> None:
    options = {"addresses": "real", "payload": "headers", "notes": True}
    with product.client() as client:
        frozen = share(client, investigation, shows="frozen", **options)
        live = share(client, investigation, shows="live", **options)
        narrow = share(client, investigation, shows="frozen", view={"from": 0, "to": 10**9})
    before = answers(product, frozen, investigation)
    assert "three-interfaces" in before["report"]
    change_everything(product, investigation)
    assert answers(product, frozen, investigation) == before
    with opened(product, narrow, investigation) as link:
        assert link.items("packets")
        shown = next(file["name"] for file in link.items("files") if file["kind"] == "capture")
        assert link.get(f"frames/{quote(shown)}/{link.items('packets')[0]['frame']}").status_code == 200
    with opened(product, live, investigation) as link:
        assert link.get("investigation").json()["label"] == "renamed"
        assert [note["text"] for note in link.items("notes")] == ["later"]
        assert "more.txt" in link.get("files").text
        assert link.get("files/conntrack-S-before.txt/lines").status_code == 404


def copies(product: Product, investigation: str) -> set[str]:
    return {folder.name for folder in (product.data / "packets" / investigation).glob("frozen/*")}


def test_what_a_frozen_link_needs_goes_with_it(product: Product) -> None:
    with product.client() as client:
        made = client.post("/demo", json={"name": "ipvs-reuse"}).json()["id"]
        product.wait_until_over(made)
        closed, expired, kept = (share(client, made, shows="frozen")["id"] for _ in range(3))
        assert share(client, made, shows="live")["id"] not in copies(product, made)
        assert copies(product, made) == {closed, expired, kept}
        client.delete(f"/investigations/{made}/shares/{closed}").raise_for_status()
        assert copies(product, made) == {expired, kept}
        store = open_store(Settings(data=product.data, database_url=""), migrate=False)
        with store.database.writing() as session:
            session.get_one(ShareRow, expired).expires = "2020-02-03T00:00:00Z"
        clear_ended(store)
        store.close()
        assert copies(product, made) == {kept}
        client.delete(f"/investigations/{made}").raise_for_status()
        assert copies(product, made) == set()
        session_address = f"/shared/{kept}/session"
        assert client.post(session_address, json={"secret": "x" * 43}).status_code == 403


def test_only_a_finished_analysis_is_frozen(product: Product) -> None:
    empty = product.new_investigation()
    with product.client() as client:
        answer = client.post(f"/investigations/{empty}/shares", json={"shows": "frozen"})
        assert answer.status_code == 409
        assert "finished" in answer.json()["detail"]
        assert client.get(f"/investigations/{empty}/shares").json()["items"] == []
    assert copies(product, empty) == set()
