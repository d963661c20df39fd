"""Files that attack the running product: each ends in a report or a sentence, and others' uploads work meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from backend.api.tests.running_product import Product, running_product
from workers.tests.hostile_uploads import DECODED, DUMP, MISLEADING, QUICK, REFUSED, SLOW, Attack

LITTLE_MEMORY = str(1536 << 20)
"""Of a child, all of its threads and libraries included; the product's default is several times that."""
LITTLE_TIME = "120"
"""Processor time, in s, which what is refused in time never reaches."""
LONG_NAMES = ("n" * 10_000 + ".txt", "a/" * 5_000 + "s.txt")


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    limits = {"CHILD_MEMORY_BYTES": LITTLE_MEMORY, "CHILD_CPU_LEAST_S": LITTLE_TIME}
    with running_product(tmp_path_factory.mktemp("hostile"), QUIET_S="0.1", **limits) as running:
        yield running


def put(product: Product, investigation: str, name: str, content: bytes) -> httpx.Response:
    with product.client() as client:
        return client.put(f"/investigations/{investigation}/files/{quote(name, safe='')}", content=content)


@pytest.mark.promise(
    "A file that attacks ends in a report or a sentence, and uploads of others work meanwhile."
)
def test_small_attacks_beside_a_good_file(product: Product) -> None:
    """All in one investigation, whose report rests on the good file and on what is left of the others."""
    investigation = product.new_investigation()
    for attack in QUICK:
        answer = put(product, investigation, attack.name, attack.content())
        assert answer.status_code == (415 if attack.ends == REFUSED else 201), answer.text
        assert attack.ends != REFUSED or attack.says in answer.json()["detail"]
    put(product, investigation, "good.txt", DUMP).raise_for_status()
    over = product.wait_until_over(investigation)
    assert over["analysis"] == "finished"
    files = {file["name"]: file for file in over["files"]}
    assert files["good.txt"]["status"] == DECODED
    for attack in QUICK:
        if attack.ends != REFUSED:
            ends_as_expected(files[attack.name], attack)
    assert not any(part in name for name in files for part in ("..", "\x1b", "\u202e", "\r"))
    assert max(map(len, files)) <= 200
    next_upload_works(product)


@pytest.mark.long
@pytest.mark.promise(
    "A file that attacks ends in a report or a sentence, and uploads of others work meanwhile."
)
@pytest.mark.parametrize("attack", SLOW, ids=lambda attack: attack.name)
def test_large_attacks(product: Product, attack: Attack) -> None:
    investigation = product.new_investigation()
    put(product, investigation, attack.name, attack.content()).raise_for_status()
    next_upload_works(product)
    over = product.wait_until_over(investigation)
    assert over["analysis"] == ("finished" if attack.ends == DECODED else "failed")
    with product.client() as client:
        report = client.get(f"/investigations/{investigation}/report")
    assert report.status_code == (200 if attack.ends == DECODED else 404)
    ends_as_expected(next(file for file in over["files"] if file["name"] == attack.name), attack)
    next_upload_works(product)


def ends_as_expected(file: dict[str, Any], attack: Attack) -> None:
    said = [*file["warnings"], *([file["error"]] if file["error"] else [])]
    assert (file["status"] == DECODED) == (attack.ends == DECODED), said
    assert file["status"] == DECODED or file["error"]
    assert attack.says in " ".join(said)
    assert "child_cpu" not in " ".join(said)


def next_upload_works(product: Product) -> None:
    investigation = product.new_investigation()
    put(product, investigation, "good.txt", DUMP).raise_for_status()
    assert product.wait_until_over(investigation)["analysis"] == "finished"


@pytest.mark.parametrize("name", [MISLEADING, *LONG_NAMES])
def test_names_of_uploads_are_refused_or_shown_without_what_misleads(product: Product, name: str) -> None:
    answer = put(product, product.new_investigation(), name, DUMP)
    assert answer.status_code in (201, 400, 404, 405, 414, 422, 431), answer.text
    if answer.status_code == 201:
        shown = answer.json()["name"]
        assert shown.isprintable()
        assert len(shown) <= 200
