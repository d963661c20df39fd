"""JSON that two readers may understand differently, at every route that takes a body."""

from __future__ import annotations

import re

import httpx
import pytest
from fastapi import FastAPI
from fastapi.routing import iter_route_contexts

from backend.api.body_limits import STREAMED, limit_of
from backend.api.strict_json import check_strict
from backend.errors import InvalidRequest

REFUSED = {
    "the same name": [b'{"a": 1, "a": 1}', b'[{"b": {"a": 1, "\\u0061": 2}}]'],
    "no number": [b"NaN", b'{"a": -Infinity}', b"[Infinity]"],
    "nested too deeply": [b"[" * 100_000 + b"]" * 100_000, b'{"a":' * 100_000 + b"1" + b"}" * 100_000],
    "too many digits": [b"1" + b"0" * 5_000, b'{"a": -1' + b"0" * 5_000 + b"}"],
    "not JSON": [b"{", b"{'a': 1}", b'{"a": 1} {"a": 2}', b"\xef\xbb\xbf", b"[1,]"],
}
TAKEN = [
    b"{}",
    b"null",
    b'{"a": {"a": [{"a": 1}, {"a": 2}]}}',
    b"[" * 50 + b"]" * 50,
    b"1" + b"0" * 4_000,
    b"1e999",
]


@pytest.mark.parametrize(
    ("why", "content"),
    [(why, each) for why, contents in REFUSED.items() for each in contents],
    ids=lambda part: part if isinstance(part, str) else "",
)
def test_what_is_ambiguous_is_refused_with_its_reason(why: str, content: bytes) -> None:
    with pytest.raises(InvalidRequest, match=why):
        check_strict(content)


@pytest.mark.parametrize("content", TAKEN)
def test_what_everybody_reads_alike_passes(content: bytes) -> None:
    check_strict(content)


@pytest.mark.promise("A body that two readers could understand differently is refused by every route.")
def test_every_route_with_a_body_refuses_it(app: FastAPI, client: httpx.Client) -> None:
    asked = 0
    for route in iter_route_contexts(app.routes):
        for method in (route.methods or set()) & {"POST", "PUT", "PATCH", "DELETE"}:
            assert route.path_format is not None
            if limit_of(f"{method} {route.path_format}") == STREAMED:
                continue
            address = re.sub(r"\{\w+\}", "ab", route.path_format)
            for content in (contents[0][:60_000] for contents in REFUSED.values()):
                answer = client.request(
                    method, address, content=content, headers={"Content-Type": "application/json"}
                )
                assert answer.status_code in (400, 404, 405), (method, address, answer.text)
                asked += answer.status_code == 400
    assert asked > 50
