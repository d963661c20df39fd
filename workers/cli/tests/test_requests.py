"""HTTP requests from an uploaded capture to the API's answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from backend.api.tests.running_product import Product, running_product
from workers.decode.tests.capture_bytes import pcap
from workers.decode.tests.conversation import OK, Conversation, get, response

SECRET = "AKIAIOSFODNN7EXAMPLE"


def _capture() -> bytes:
    talk = (
        Conversation().ask(get("/slow?key=" + SECRET, "User-Agent: curl/8")).reply(response(status="503 No"))
    )
    talk.ask(b"POST /fast HTTP/1.1\r\nHost: b.example\r\n\r\n").reply(OK)
    return pcap(talk.ask(get("/lost", f"Cookie: {SECRET}")).packets)


@pytest.fixture(scope="module")
def analysed(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """(the product, the address of an analysed investigation)."""
    with running_product(tmp_path_factory.mktemp("product")) as product:
        found = product.new_investigation()
        with product.client() as client:
            client.put(f"/investigations/{found}/files/a.pcap", content=_capture()).raise_for_status()
        assert product.wait_until_over(found)["analysis"] == "finished"
        yield product, f"/investigations/{found}"


def _requests(analysed: tuple[Product, str], **parameters: str | int) -> dict[str, Any]:
    product, address = analysed
    with product.client() as client:
        page: dict[str, Any] = client.get(f"{address}/requests", params=parameters).raise_for_status().json()
    return page


def test_sorted_filtered_and_paged(analysed: tuple[Product, str]) -> None:
    everything = _requests(analysed)
    assert [row["path"] for row in everything["items"]] == ["/slow?key=*", "/fast", "/lost"]
    assert [row["status"] for row in everything["items"]] == [503, 200, None]
    assert everything["items"][0]["user_agent"] == "curl/8"
    assert everything["items"][0]["complete"] is True
    for parameters, paths in (
        ({"status": 503}, ["/slow?key=*"]),
        ({"status": 0}, ["/lost"]),
        ({"method": "post"}, ["/fast"]),
        ({"q": "B.EXAMPLE"}, ["/fast"]),
        ({"q": "CURL"}, ["/slow?key=*"]),
        ({"cid": 1}, []),
        ({"sort": "status", "order": "desc"}, ["/slow?key=*", "/fast", "/lost"]),
    ):
        assert [row["path"] for row in _requests(analysed, **parameters)["items"]] == paths
    first = _requests(analysed, limit=2)
    rest = _requests(analysed, limit=2, cursor=first["next_cursor"])
    assert [row["rid"] for row in first["items"] + rest["items"]] == [
        row["rid"] for row in everything["items"]
    ]
    assert (first["total"], rest["next_cursor"]) == (3, None)


def test_a_frame_says_what_begins_in_it(analysed: tuple[Product, str]) -> None:
    product, address = analysed
    with product.client() as client:
        frames = [client.get(f"{address}/frames/a.pcap/{n}").json() for n in (3, 4, 5)]
    said = [[c["value"] for c in frame["columns"] if c["name"] == "message"] for frame in frames]
    assert said == [
        [],
        ["HTTP request GET /slow?key=* to a.example"],
        ["HTTP response 503 to GET /slow?key=*"],
    ]


def test_no_secret_is_in_the_data_folder_but_in_the_uploaded_file(analysed: tuple[Product, str]) -> None:
    product, _ = analysed
    holding = [path for path in product.data.rglob("*") if path.is_file() and _holds(path)]
    assert len(holding) == 1
    assert "blobs" in str(holding[0])


def _holds(path: Path) -> bool:
    return SECRET.encode() in path.read_bytes()


def test_grouped_by_line_and_taken_apart(analysed: tuple[Product, str]) -> None:
    product, address = analysed
    with product.client() as client:
        groups = client.get(f"{address}/requests/shapes").raise_for_status().json()
        assert {(row["request"], row["count"], row["shape"]) for row in groups["items"]} == {
            ("GET /slow", 1, None),
            ("POST /fast", 1, None),
        }
        assert (groups["requests"], groups["statement"]) == (3, None)
        one = client.get(f"{address}/requests/{groups['items'][0]['median']}").raise_for_status().json()
        assert [segment["kind"] for segment in one["segments"]] == ["request", "wait", "response"]
        told = sum(segment["counted_ms"] for segment in one["segments"]) + one["gap_ms"]
        assert told == pytest.approx(one["total_ms"], abs=1e-6)
        everything = [groups, one, client.get(f"{address}/requests").json()]
        assert SECRET not in str(everything)
        assert client.get(f"{address}/requests/99").status_code == 404
    assert _requests(analysed, offset=2)["items"][0]["path"] == "/lost"
    assert _requests(analysed, line="GET /slow")["total"] == 1
    assert _requests(analysed, basis="inferred")["total"] == 0
