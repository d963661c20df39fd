from __future__ import annotations

import gzip
from pathlib import Path

import httpx
import pytest
from starlette.datastructures import Headers

from backend.api import web_page
from backend.api.compressed_answers import LEAST_BYTES, accepts_gzip, may_compress

GZIP = {"Accept-Encoding": "gzip, deflate, br"}
ONE = "/api/v1/investigations/0123456789abcdef"


def asked(path: str, query: str = "", method: str = "GET", coding: bytes = b"gzip") -> bool:
    headers = [(b"accept-encoding", coding)]
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "query_string": query.encode(),
        "headers": headers,
    }
    return may_compress(scope)


@pytest.mark.parametrize("path", ["", "/report/outline", "/timeline", "/requests/7", "/dumps/series"])
def test_what_was_found_is_compressed(path: str) -> None:
    assert asked(ONE + path, "limit=1&offset=0")


@pytest.mark.parametrize(
    "path", ["/api/v1/tokens", "/api/v1/members", f"{ONE}/shares", "/api/v1/sign-in", "/"]
)
def test_what_holds_secrets_is_not(path: str) -> None:
    assert not asked(path)


@pytest.mark.parametrize("query", ["q=a", "limit=1&filter=tcp", "text=10.0", "unknown=1"])
def test_an_answer_to_a_free_text_is_not(query: str) -> None:
    assert not asked(f"{ONE}/connections", query)


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_only_reads_are(method: str) -> None:
    assert not asked(ONE, method=method)


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ("gzip", True),
        ("br, gzip;q=0.5", True),
        ("gzip;q=0", False),
        ("gzip; q=0.0", False),
        ("br", False),
        ("", False),
    ],
)
def test_the_weight_of_gzip_counts(given: str, taken: bool) -> None:
    assert accepts_gzip(Headers({"accept-encoding": given})) is taken
    assert asked(ONE, coding=given.encode()) is taken


def test_a_long_answer_arrives_whole_and_small(client: httpx.Client) -> None:
    packed = client.get("/api/v1/detectors", headers=GZIP)
    plain = client.get("/api/v1/detectors", headers={"Accept-Encoding": "identity"})
    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert packed.json() == plain.json()
    assert int(packed.headers["content-length"]) < len(plain.content) / 2
    assert len(plain.content) > LEAST_BYTES


def test_packed_files_of_the_page_go_to_who_reads_them(
    client: httpx.Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets" / "index-4f2a.js").write_text("let page = 1;")
    (tmp_path / "assets" / "index-4f2a.js.gz").write_bytes(gzip.compress(b"let page = 1;"))
    monkeypatch.setattr(web_page, "page_folder", lambda: tmp_path)
    packed = client.get("/assets/index-4f2a.js", headers=GZIP)
    plain = client.get("/assets/index-4f2a.js", headers={"Accept-Encoding": "identity"})
    assert packed.text == plain.text == "let page = 1;"
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.headers["content-type"] == plain.headers["content-type"]
    assert "javascript" in packed.headers["content-type"]
    assert "immutable" in packed.headers["cache-control"]
    assert packed.headers["vary"] == plain.headers["vary"] == "Accept-Encoding"
