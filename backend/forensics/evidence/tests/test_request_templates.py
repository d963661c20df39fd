"""Requests by URL template: what differs from call to call is folded, names and versions stay."""

from __future__ import annotations

import pytest

from backend.forensics.evidence.requests.request_shapes import template


@pytest.mark.parametrize(
    ("line", "folded"),
    [
        ("GET /v1/users/17?q=*", "GET /v1/users/*"),
        ("GET /order-17.json", "GET /order-*.json"),
        ("GET /api/v2/item_9f86d081.json", "GET /api/v2/item_*.json"),
        ("POST /r/550e8400-e29b-41d4-a716-446655440000", "POST /r/*"),
        ("GET /r/user.550e8400-e29b-41d4-a716-446655440000.json", "GET /r/user.*.json"),
        ("GET /blobs/9f86d081884c7d65", "GET /blobs/*"),
    ],
)
def test_numbers_and_ids_are_folded(line: str, folded: str) -> None:
    assert template(line) == folded


@pytest.mark.parametrize(
    "line",
    [
        "GET /v1.24/containers/json",
        "GET /regions/us-east-1",
        "GET /img/logo-dark.svg",
        "GET /shop/abc-facade/menu",
        "GET /",
        "unreadable",
    ],
)
def test_names_and_versions_stay(line: str) -> None:
    assert template(line) == line
