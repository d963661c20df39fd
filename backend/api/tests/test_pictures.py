"""Pictures over the API: of one's own investigation and behind share links."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import httpx
import pytest

from backend.api.tests.running_product import Product
from backend.api.tests.share_links import opened, share

MOST_BYTES = 80_000
ADDRESS = re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}\b")


@pytest.fixture(scope="module")
def investigation(product: Product) -> str:
    with product.client() as client:
        made: str = client.post("/demo", json={"name": "snat-race"}).json()["id"]
        product.wait_until_over(made)
        return made


def texts_of(svg: str) -> list[str]:
    root = ElementTree.fromstring(svg)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    return [each.text or "" for each in root.iter("{http://www.w3.org/2000/svg}text")]


def picture(client: httpx.Client, address: str, **query: str | int) -> str:
    answer = client.get(address, params=query).raise_for_status()
    assert answer.headers["content-type"] == "image/svg+xml"
    assert answer.headers["content-security-policy"] == "default-src 'none'; sandbox"
    assert len(answer.content) <= MOST_BYTES
    return answer.text


def test_the_timeline_has_title_window_legend_zero_and_source(product: Product, investigation: str) -> None:
    with product.client() as client:
        own = f"/investigations/{investigation}"
        light = picture(client, f"{own}/timeline.svg")
        words = "\n".join(texts_of(light))
        assert "SYN retransmissions to" in words
        assert re.search(r"window −0\.\d+ s \+ 14\.\d+ s · 0 = 01:11:43\.486947163, first packet", words)
        assert "✖ missing 29" in words
        assert f"{product.address}/i/{investigation}/timeline" in words
        assert picture(client, f"{own}/timeline.svg", theme="dark") != light
        wide = picture(client, f"{own}/timeline.svg", width=1800)
        assert ElementTree.fromstring(wide).get("width") == "1800"


def test_a_window_and_a_finding_are_as_in_the_address_of_the_page(
    product: Product, investigation: str
) -> None:
    with product.client() as client:
        own = f"/investigations/{investigation}"
        part = picture(client, f"{own}/timeline.svg", w="1000000000~500000000")
        assert "window +1.000000 s + 500 ms" in "\n".join(texts_of(part))
        one = picture(client, f"{own}/timeline.svg", finding="tuple-collision-1", instance=3)
        assert "instance 3 of 29" in "\n".join(texts_of(one))


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"w": "yesterday"}, 422),
        ({"w": "0~1"}, 422),
        ({"width": "9999"}, 422),
        ({"theme": "pink"}, 422),
        ({"finding": "no-such-1"}, 404),
    ],
)
def test_what_cannot_be_drawn_is_refused_with_a_reason(
    product: Product, investigation: str, query: dict[str, str], status: int
) -> None:
    with product.client() as client:
        answer = client.get(f"/investigations/{investigation}/timeline.svg", params=query)
        assert answer.status_code == status
        assert answer.json()["detail"]


def test_rtt_ladder_and_breakdown_are_pictures_too(product: Product, investigation: str) -> None:
    with product.client() as client:
        own = f"/investigations/{investigation}"
        assert "Round-trip times" in texts_of(picture(client, f"{own}/rtt.svg"))
        delayed = client.get(f"{own}/connections?finding=syn-retransmission-1&limit=1").json()["items"][0]
        ladder = "\n".join(texts_of(picture(client, f"{own}/connections/{delayed['cid']}/ladder.svg")))
        assert "SYN retransmission" in ladder
        assert "then not seen" in ladder
        longest = client.get(f"{own}/requests?sort=duration_ms&order=desc&limit=1").json()["items"][0]
        breakdown = picture(client, f"{own}/requests/{longest['rid']}/breakdown.svg")
        assert "Latency breakdown" in "\n".join(texts_of(breakdown))
        for place in ("connections/9999999/ladder.svg", "requests/9999999/breakdown.svg"):
            assert client.get(f"{own}/{place}").status_code == 404
        assert client.get("/investigations/abcdef/timeline.svg").status_code == 404


def test_an_investigation_without_captures_has_no_timeline(product: Product) -> None:
    made = product.new_investigation("empty")
    with product.client() as client:
        assert client.get(f"/investigations/{made}/timeline.svg").status_code == 404
        assert client.get(f"/investigations/{made}/rtt.svg").status_code == 404


@pytest.mark.promise(
    "A picture behind a share link is drawn from what the link's viewer may read, and from nothing else."
)
def test_a_link_with_pseudonyms_draws_pseudonyms(product: Product, investigation: str) -> None:
    with product.client() as client:
        own = f"/investigations/{investigation}"
        known = set(ADDRESS.findall(client.get(f"{own}/timeline.svg").text))
        delayed = client.get(f"{own}/connections?finding=syn-retransmission-1&limit=1").json()["items"][0]
        assert known
        hidden = share(client, investigation, addresses="names")
        part = share(client, investigation, addresses="real", finding="syn-retransmission-1")
    with opened(product, hidden, investigation) as link:
        for place in ("timeline.svg", "rtt.svg", f"connections/{delayed['cid']}/ladder.svg"):
            drawn = link.get(place).raise_for_status().text
            texts = "\n".join(texts_of(drawn)).replace(product.address, "")
            assert not set(ADDRESS.findall(texts)) & known, place
        assert f"/s/{hidden['id']}/" in drawn
        assert hidden["secret"] not in drawn
    with opened(product, part, investigation) as link:
        drawn = link.get("timeline.svg").raise_for_status().text
        assert "SYN retransmissions to" in drawn
        assert "SNAT" not in drawn
        assert link.get("rtt.svg").status_code == 404
    with product.client() as client:
        assert client.get(f"/shared/{hidden['id']}/timeline.svg").status_code == 403
