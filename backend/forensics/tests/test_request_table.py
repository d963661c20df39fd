"""One row a request, however many vantage points saw it."""

from dataclasses import replace

import numpy as np
import pyarrow as pa

from backend.forensics.captures import Capture
from backend.forensics.connections import NEVER
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.messages import (
    HTTP_DTYPE,
    REQUEST_COMPLETE,
    REQUEST_SEEN,
    RESPONSE_COMPLETE,
    RESPONSE_SEEN,
    TEXTS,
    HeldMessages,
    Messages,
    message_schema,
)
from backend.forensics.path_table import path_table
from backend.forensics.request_table import SCHEMA, request_batches
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, plain_path
from backend.forensics.tests.build_http import HttpBuilder

REQUEST, RESPONSE = REQUEST_SEEN | REQUEST_COMPLETE, RESPONSE_SEEN | RESPONSE_COMPLETE


def _with_http(capture: Capture, *messages: dict[str, int | str]) -> Capture:
    rows = np.zeros(len(messages), HTTP_DTYPE)
    texts: dict[str, list[str]] = {name: [] for name in TEXTS["http"]}
    for name in ("request_first", "request_last", "response_first", "response_last"):
        rows[f"{name}_ns"] = rows[f"{name}_frame"] = NEVER
    rows["from_client"] = 1
    for number, message in enumerate(messages):
        for name in texts:
            texts[name].append(str(message.get(name, "")))
        for name, value in message.items():
            if name not in texts:
                rows[name][number] = value
    columns = [pa.array(np.ascontiguousarray(rows[n])) for n in HTTP_DTYPE.names or ()]
    table = pa.table(
        [*columns, *(pa.array(t, pa.string()) for t in texts.values())], schema=message_schema("http")
    )
    return replace(capture, messages=Messages(http=HeldMessages(table)))


def _rows(*captures: Capture) -> list[dict[str, object]]:
    facts: Facts = gather_facts(captures, [])
    table = pa.Table.from_batches(list(request_batches(facts, path_table(facts, []))), SCHEMA)
    found: list[dict[str, object]] = table.to_pylist()
    return found


def _both_places() -> Capture:
    builder = CaptureBuilder()
    builder.connect(T0_NS, plain_path("10.0.0.1:40000", "10.0.0.2:80", "cni0", "eth0"), isn=1000)
    return builder.build()


def _exchange(place: int, marks: int, **columns: int | str) -> dict[str, int | str]:
    """The one exchange as it was seen at a place (also the number of its connection)."""
    shown: dict[str, int | str] = {"connection": place, "vantage": place, "marks": marks}
    if marks & REQUEST_SEEN:
        shown |= {"request_sequence": 1001, "method": "GET", "path": "/a"}
        shown |= {"request_first_ns": T0_NS + MS, "request_last_ns": T0_NS + 2 * MS, "request_first_frame": 9}
    if marks & RESPONSE_SEEN:
        shown |= {"response_sequence": 5001, "status": 200}
        shown |= {"response_first_ns": T0_NS + 5 * MS, "response_last_ns": T0_NS + 7 * MS}
    return shown | columns


def test_what_the_server_asked_meanwhile_is_told_where_it_would_be_seen() -> None:
    http = HttpBuilder()
    http.exchange(100, "10.2.0.9:20000", "10.1.0.7:8000", took_ms=100)
    http.exchange(140, "10.1.0.7:40001", "10.3.0.5:9200", took_ms=30)
    served, asked = _rows(http.build())
    names = ("metadata_ms", "dns_ms", "calls_ms", "own_ms", "metadata_count", "dns_count", "calls_count")
    assert [served[name] for name in names] == [0.0, 0.0, 30.0, 70.0, 0, 0, 1]
    assert [asked[name] for name in names] == [None] * 7


def test_a_request_seen_twice_is_one() -> None:
    capture = _with_http(_both_places(), _exchange(1, REQUEST | RESPONSE), _exchange(0, REQUEST | RESPONSE))
    [row] = _rows(capture)
    assert (row["vantage"], row["cid"], row["status"], row["path"]) == ("capture.pcapng#0", 0, 200, "/a")
    assert (row["requester"], row["requester_port"], row["responder_port"]) == ("10.0.0.1", 40000, 80)
    assert (row["wait_ms"], row["duration_ms"], row["request_first_frame"]) == (3.0, 6.0, 9)


def test_the_place_that_saw_the_response_is_preferred() -> None:
    capture = _with_http(_both_places(), _exchange(0, REQUEST), _exchange(1, REQUEST | RESPONSE))
    [row] = _rows(capture)
    assert (row["vantage"], row["status"]) == ("capture.pcapng#1", 200)


def test_a_response_seen_without_its_request_elsewhere_is_no_second_row() -> None:
    capture = _with_http(_both_places(), _exchange(0, RESPONSE), _exchange(1, REQUEST | RESPONSE))
    assert [row["path"] for row in _rows(capture)] == ["/a"]


def test_a_response_alone_stays() -> None:
    late = _exchange(0, RESPONSE, response_first_ns=T0_NS + 60_000 * MS)
    capture = _with_http(_both_places(), late, _exchange(1, REQUEST | RESPONSE))
    found = _rows(capture)
    assert sorted(str(row["path"]) for row in found) == ["", "/a"]
    assert [row["wait_ms"] for row in found if not row["path"]] == [None]


def test_the_side_that_was_called_may_ask() -> None:
    capture = _with_http(_both_places(), _exchange(0, REQUEST | RESPONSE, from_client=0))
    [row] = _rows(capture)
    assert (row["requester"], row["responder"], row["responder_port"]) == ("10.0.0.2", "10.0.0.1", 40000)


def test_nothing_gives_nothing() -> None:
    assert _rows(_both_places()) == []
