from __future__ import annotations

import httpx

from backend.api.app import product_version


def test_the_version_is_the_one_that_reports_carry(client: httpx.Client) -> None:
    assert client.get("/api/v1/version").json() == {"version": product_version()}
