"""Every text that the repository keeps as a sample, behind links that hide names: no address and no host's name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from backend.api.tests.running_product import Product, running_product
from backend.api.tests.share_links import opened, share
from workers.tests.test_link_answers import around, asked_of, spelled

SAMPLES = Path(__file__).parents[1] / "decode"
TEXTS = sorted(
    [
        *(SAMPLES / "tests/samples/threads").glob("*.txt"),
        *(SAMPLES / "dumps/tests/samples").glob("*.txt"),
    ]
)
IPV4 = re.compile(r"(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])")
MAC = re.compile(r"\b(?:[0-9a-f]{2}:){5}[0-9a-f]{2}\b")
HOST = re.compile(r"\b(?:[\w-]+\.){2,}(?:local|com|net|org|io|internal)\b")
PUBLIC = re.compile(r"0\.|127\.|255\.|224\.|169\.254\.169\.|00:00:00:00:00:00|ff:ff:ff:ff:ff:ff")
"""What stands for no machine: loopback, masks, multicast, the metadata address, no hardware address."""

LINKS: dict[str, dict[str, Any]] = {
    "all": {},
    "finding": {"finding": "", "shows": "frozen"},
    "view": {"view": {"from": 0, "to": 2 * 10**9}, "shows": "frozen"},
}


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    with running_product(tmp_path_factory.mktemp("product")) as running:
        yield running


def private_texts(text: str) -> set[str]:
    folded = text.casefold()
    found = {each for pattern in (IPV4, MAC, HOST) for each in pattern.findall(folded)}
    return {
        each
        for each in found
        if not PUBLIC.match(each) and not (IPV4.fullmatch(each) and max(map(int, each.split("."))) > 255)
    }


def test_the_samples_hold_what_is_looked_for() -> None:
    assert len(TEXTS) > 100
    assert sum(bool(private_texts(path.read_text(errors="replace"))) for path in TEXTS) > 60


@pytest.mark.long
@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_no_sample_shows_an_address_or_a_host_behind_a_link(product: Product, path: Path) -> None:
    id_ = product.new_investigation("pasted")
    with product.client() as client:
        client.put(f"/investigations/{id_}/files/listing.txt", content=path.read_bytes()).raise_for_status()
        product.wait_until_over(id_)
        findings = client.get(f"/investigations/{id_}/findings").json().get("items", [])
        made = []
        for options in LINKS.values():
            if "finding" not in options:
                made.append(share(client, id_, **options))
            elif findings:
                made.append(share(client, id_, **{**options, "finding": findings[0]["id"]}))
    private = private_texts(path.read_text(errors="replace"))
    for each in made:
        with opened(product, each, id_) as link:
            for address in asked_of(link):
                answer = link.client.get(f"{link.prefix}/{address}")
                assert answer.status_code < 500, (address, answer.text[:500])
                shown = "\n".join(spelled(answer.text, answer.headers.get("content-type", "")))
                found = [text for text in private if text in shown]
                assert not found, (address, found[:3], around(shown, found[0]))
