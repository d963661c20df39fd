"""Sessions of share links, for tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx

from backend.api.tests.running_product import Product


@dataclass(frozen=True)
class Link:
    """A session of a link."""

    client: httpx.Client
    prefix: str
    own: str

    def get(self, place: str, **query: Any) -> httpx.Response:
        """Below the link."""
        return self.client.get(f"{self.prefix}/{place}", params=query)

    def items(self, place: str, **query: Any) -> list[dict[str, Any]]:
        """Of a list."""
        found: list[dict[str, Any]] = self.get(place, **query).raise_for_status().json()["items"]
        return found


def share(client: httpx.Client, investigation: str, **options: Any) -> dict[str, Any]:
    made: dict[str, Any] = (
        client.post(f"/investigations/{investigation}/shares", json=options).raise_for_status().json()
    )
    return made


@contextmanager
def opened(
    product: Product, made: dict[str, Any], investigation: str, password: str | None = None
) -> Iterator[Link]:
    with product.client() as client:
        yield _session(client, made, investigation, password)


def _session(client: httpx.Client, made: dict[str, Any], investigation: str, password: str | None) -> Link:
    session = client.post(
        f"/shared/{made['id']}/session", json={"secret": made["secret"], "password": password}
    )
    client.headers["X-Stallscope-Share"] = session.raise_for_status().json()["token"]
    client.cookies.clear()
    return Link(client, f"/shared/{made['id']}", f"/investigations/{investigation}")
