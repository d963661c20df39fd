"""A link with other names: no answer of any address behind it tells what the names stand for."""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Iterator
from urllib.parse import quote

import pytest

from backend.api.tests.running_product import Product
from backend.api.tests.share_links import Link, opened, share

PRIVATE = re.compile(
    # Addresses of the incidents' networks; names of their files, hosts, lookups, programs and requests.
    r"(?<![\d.])(?:10|172|192)\.\d+\.\d+\.\d+|checkout|node-7|three-interfaces|app-eth0|conntrack-[ELS][-.]|\.txt|"
    r"\.pcapng|/v1/ads|_search|Python/3|healthz|SecretAccessKey|wJalr|FwoG"
)


@pytest.fixture(scope="module", params=["snat-race", "imds-burst", "ipvs-reuse"])
def link(request: pytest.FixtureRequest, product: Product) -> Iterator[Link]:
    with product.client() as client:
        investigation = client.post("/demo", json={"name": request.param}).json()["id"]
        client.patch(f"/investigations/{investigation}", json={"label": "checkout node-7"})
        assert product.wait_until_over(investigation)["analysis"] == "finished"
        with opened(product, share(client, investigation), investigation) as link:
            yield link


def places(link: Link) -> list[str]:
    """Every address that only reads, with the parameters filled in as the link itself shows them."""
    paths = link.client.get(str(link.client.base_url).removesuffix("api/v1/") + "api/openapi.json").json()[
        "paths"
    ]
    below = [
        path.partition("{share_id}/")[2]
        for path, verbs in paths.items()
        if "/shared/{" in path and "get" in verbs
    ]
    files = [file["name"] for file in link.items("files")]
    finding = link.items("findings")[0]["id"]
    dump = link.items("dumps")[0] if link.items("dumps") else None
    table = f"{quote(dump['input'])}/{dump['number']}/{quote(dump['tables'][0]['name'])}" if dump else "x/0/x"
    filled: list[str] = []
    for path in below:
        path = path.replace("dumps/{file_id}/{number}/{table}", f"dumps/{table}")
        path = (
            path.replace("{finding_id}", finding)
            .replace("{cid}", "1")
            .replace("{number}", "40")
            .replace("{rid}", "1")
            .replace("{instance}", "1")
        )
        filled += (
            [path.replace("{file_id}", quote(name)) for name in files] if "{file_id}" in path else [path]
        )
    return filled


def test_no_answer_tells_what_the_names_stand_for(link: Link) -> None:
    asked = places(link)
    assert len(asked) > 15
    answered = 0
    for place in [
        *asked,
        "report?format=markdown",
        "packets?limit=1000",
        "connections?limit=1000",
        "requests?limit=1000",
        "timeline?group=pod",
        "timeline?group=connection",
    ]:
        answer = link.client.get(f"{link.prefix}/{place}")
        assert not PRIVATE.search(answer.text), (place, PRIVATE.findall(answer.text)[:5])
        answered += answer.status_code == 200
    assert answered > 12


def test_every_own_address_and_text_is_gone(link: Link) -> None:
    own = {
        text
        for row in link.client.get(
            f"{link.own}/connections?limit=1000", headers={"X-Stallscope-Share": ""}
        ).json()["items"]
        for text in (row["client"], row["server"], row["nat_client"], row["nat_server"])
        if text and text != "169.254.169.254"
    }
    shown = "".join(link.get(place).text for place in ("report", "connections", "timeline", "packets"))
    assert own
    assert [text for text in own if text in shown] == []


def test_names_are_the_same_everywhere_and_may_be_asked_by(link: Link) -> None:
    connections = link.items("connections", limit=5)
    client = connections[0]["client"]
    assert re.fullmatch(r"(?:pod|client|server|host)-\d+", client)
    found = link.items("connections", q=client, limit=1000)
    assert found
    assert all(
        client in (row["client"], row["server"], row["nat_client"], row["nat_server"]) for row in found
    )
    affected = [each["source"] for finding in link.items("findings") for each in finding["affected"]]
    assert link.items("connections", q=re.sub(r":\d+$", "", affected[0]), limit=1)


@pytest.mark.parametrize("guess", ["10.", "172.18.146.226", "/v1", "checkout"])
def test_nothing_can_be_guessed_by_a_filter(link: Link, guess: str) -> None:
    for place in ("connections", "packets", "requests"):
        assert link.get(place, q=guess).status_code == 400


def test_files_open_by_their_shown_names_only(link: Link) -> None:
    own = [
        file["name"]
        for file in link.client.get(f"{link.own}/files").json()["items"]
        if file["kind"] == "capture"
    ]
    shown = [file["name"] for file in link.items("files") if file["kind"] == "capture"]
    assert link.get(f"frames/{quote(own[0])}/1").status_code == 404
    frame = link.get(f"frames/{quote(shown[0])}/1").raise_for_status().json()
    assert frame["input"] == shown[0]


def test_a_password_is_asked_for_and_openings_are_counted(product: Product) -> None:
    with product.client() as client:
        investigation = product.new_investigation()
        made = share(client, investigation, addresses="real", password="correct horse")
        session = f"/shared/{made['id']}/session"
        assert client.post(session, json={"secret": made["secret"]}).status_code == 403
        assert client.post(session, json={"secret": made["secret"], "password": "battery"}).status_code == 403
        bare = {"X-Stallscope-Share": made["secret"]}
        assert client.get(f"/shared/{made['id']}/investigation", headers=bare).status_code == 403
        for _ in range(2):
            with opened(product, made, investigation, "correct horse") as link:
                assert link.get("investigation").status_code == 200
                assert link.get("files").status_code == 200
        (listed,) = client.get(f"/investigations/{investigation}/shares").json()["items"]
        assert (listed["opened"], listed["has_password"]) == (2, True)
        assert "correct horse" not in json.dumps(listed)


def test_a_preview_tells_what_was_found_only_where_that_was_wanted(link: Link) -> None:
    page = str(link.client.base_url).removesuffix("/api/v1/")
    bot = {"User-Agent": "Slackbot-LinkExpanding 1.0"}
    own = {"X-Stallscope-Share": ""}
    statement = link.client.get(f"{link.own}/diagnoses", headers=own).json()["items"][0]["statement"]
    for show_title in (False, True):
        made = link.client.post(f"{link.own}/shares", json={"show_title": show_title}, headers=own).json()
        html = link.client.get(f"{page}/s/{made['id']}/timeline", headers=bot).text
        assert ("Packet investigation" in html) is not show_title
        assert not PRIVATE.search(html)
        assert (statement[:9] in html) is show_title
        picture = link.client.get(f"{page}/s/{made['id']}/preview.png", headers=bot)
        assert (f"/s/{made['id']}/preview.png" in html) is picture.is_success is show_title
        if show_title:
            assert picture.headers["content-type"] == "image/png"
            assert picture.content[16:24] == struct.pack(">II", 1200, 630)
        listed = link.client.get(f"{link.own}/shares", headers=own).json()["items"]
        assert next(each for each in listed if each["id"] == made["id"])["opened"] == 0
