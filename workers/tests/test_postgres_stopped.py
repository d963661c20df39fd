"""A real PostgreSQL that is stopped and started, or stands still, while files decode."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from backend.api.tests.running_product import DEMO, Product, running_product
from backend.storage.tests.own_postgres import own_postgres
from workers.tests.frozen_children import frozen_children

pytestmark = pytest.mark.long

CAPTURE = DEMO / "snat-race" / "three-interfaces.pcapng"
AWAY_S = 12.0


def wait_until_finished(product: Product, investigation: str) -> None:
    deadline = time.monotonic() + 300
    with product.client() as client:
        while True:
            answer = client.get(f"/investigations/{investigation}/progress")
            assert answer.status_code in (200, 503), answer.text
            now = answer.json().get("analysis")
            assert now not in ("failed", "cancelled"), answer.text
            if now == "finished":
                return
            assert time.monotonic() < deadline, product.log.read_text()[-6000:]
            time.sleep(0.2)


@pytest.mark.promise("A database that is stopped or stands still delays analyses and ends none.")
def test_a_postgres_that_is_stopped_or_stands_still_while_a_file_decodes(tmp_path: Path) -> None:
    with (
        own_postgres() as postgres,
        running_product(tmp_path, HEARTBEAT_S="0.25", DATABASE_URL=postgres.url) as product,
        product.client() as client,
    ):
        for away, back in ((postgres.stop, postgres.start), (postgres.stand_still, postgres.go_on)):
            investigation = product.new_investigation()
            with frozen_children(product) as frozen:
                address = f"/investigations/{investigation}/files/a.pcapng"
                client.put(address, content=CAPTURE.read_bytes()).raise_for_status()
                product.wait_for(
                    investigation, lambda now: any(file["status"] == "decoding" for file in now["files"])
                )
                away()
                frozen.let_go()
                time.sleep(AWAY_S)
                assert client.get(f"/investigations/{investigation}/progress").status_code == 503
                back()
            wait_until_finished(product, investigation)
