"""Texts that no database keeps, at every route that takes a body or a query."""

from __future__ import annotations

import base64
import json
import re

import httpx
import pytest
from fastapi import FastAPI
from fastapi.routing import iter_route_contexts

from backend.api.body_limits import STREAMED, limit_of
from backend.api.plain_texts import check_json
from backend.errors import InvalidRequest

HALVES = [
    rb'"\ud83d"',
    rb'"\ude00"',
    rb'"\ud83d\ud83d\ude00"',
    rb'"\ude00\ud83d"',
    rb'"\\\ud83d"',
    rb'"\\ud83d\ude00"',
]
NULS = [rb'"\u0000"', rb'"a\\\u0000"', rb'{"\u0000": 1}', b'"a\0"']
NO_UTF_8 = [
    b'"\xed\xa0\x80"',
    b'"\xff"',
    '{"label": "a"}'.encode("utf-16"),
    '{"label": "a"}'.encode("utf-32-le"),
]
PLAIN = [
    rb'"\ud83d\ude00"',
    rb'"\\ud83d"',
    rb'"\\u0000"',
    rb'"\\\\u0000\n\u0001\ud7ff\ue000"',
    '"é😀"'.encode(),
    b"",
]


@pytest.mark.parametrize("content", HALVES + NULS + NO_UTF_8)
def test_what_is_no_text_is_refused(content: bytes) -> None:
    with pytest.raises(InvalidRequest):
        check_json(content)


@pytest.mark.parametrize("content", PLAIN)
def test_what_is_text_passes(content: bytes) -> None:
    check_json(content)
    assert not content or json.loads(content).encode()


@pytest.mark.promise("A text that cannot be stored is refused by every route, and never an error of ours.")
def test_every_route_with_a_body_refuses_it(app: FastAPI, client: httpx.Client) -> None:
    asked = 0
    for route in iter_route_contexts(app.routes):
        for method in (route.methods or set()) & {"POST", "PUT", "PATCH", "DELETE"}:
            assert route.path_format is not None
            address = re.sub(r"\{\w+\}", "ab", route.path_format)
            if limit_of(f"{method} {route.path_format}") == STREAMED:
                continue
            for content in (rb'{"label": "\ud800"}', rb'{"label": "\u0000"}'):
                answer = client.request(
                    method, address, content=content, headers={"Content-Type": "application/json"}
                )
                assert answer.status_code in (400, 404, 405), (method, address, answer.text)
                asked += answer.status_code == 400
    assert asked > 20


def test_every_query_with_a_nul_is_refused(app: FastAPI, client: httpx.Client) -> None:
    for address in ("/api/v1/investigations", "/api/v1/audit", "/api/v1/runs/of-label"):
        answer = client.get(f"{address}?label=%00&actor=%00")
        assert answer.status_code == 400, answer.text
        assert "U+0000" in answer.json()["detail"]


def test_names_of_uploads_hold_no_nul(client: httpx.Client) -> None:
    made = client.post("/api/v1/investigations", json={"label": "x"}).headers["location"]
    for key in ("filename", "host", "captured_at"):
        told = f"{key} " + base64.b64encode(b"a\0b").decode()
        headers = {"Upload-Length": "5", "Upload-Metadata": told, "Tus-Resumable": "1.0.0"}
        answer = client.post(f"{made}/uploads", headers=headers)
        assert answer.status_code == 400, answer.text
        assert key in answer.json()["detail"]
