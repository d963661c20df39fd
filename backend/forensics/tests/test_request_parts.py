"""What a served request asked of others is told one by one, and requests that cannot be read are requests, too."""

from __future__ import annotations

import pyarrow as pa

from backend.forensics.evidence.facts import gather_facts
from backend.forensics.messages import SENT_TOKEN
from backend.forensics.path_table import path_table
from backend.forensics.request_parts import SCHEMA, part_batches
from backend.forensics.request_table import SCHEMA as REQUESTS
from backend.forensics.request_table import request_batches
from backend.forensics.tests.build_capture import MS, T0_NS
from backend.forensics.tests.build_http import CREDENTIALS, IMDS, POD, TOKEN, HttpBuilder

CLIENT, BACKEND = "10.2.0.9:20000", "10.3.0.5:9200"
SERVER = f"{POD}:8000"


def _tables(http: HttpBuilder, clock_ns: int = 0) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    facts = gather_facts([http.build(clock_ns=clock_ns)], [])
    requests = pa.Table.from_batches(list(request_batches(facts, path_table(facts, []))), REQUESTS)
    return requests.to_pylist(), pa.Table.from_batches(list(part_batches(facts)), SCHEMA).to_pylist()


def _http() -> HttpBuilder:
    http = HttpBuilder()
    http.exchange(100, CLIENT, SERVER, "GET /v1/users/17?q=*", took_ms=100)
    http.exchange(110, f"{POD}:40000", IMDS, CREDENTIALS, took_ms=20)
    http.exchange(140, f"{POD}:40001", BACKEND, "POST /ads/_search", took_ms=30)
    return http


def test_parts_refer_to_their_request_and_to_frames() -> None:
    requests, parts = _tables(_http())
    (served,) = [row for row in requests if row["served"] is not None]
    assert {part["served"] for part in parts} == {served["served"]}
    assert [(p["kind"], p["name"], p["after_ns"], p["length_ns"]) for p in parts] == [
        ("metadata", "credentials", 10 * MS, 20 * MS),
        ("calls", "POST 10.3.0.5:9200/ads/_search", 40 * MS, 30 * MS),
    ]
    assert [(p["input"], p["first_frame"], p["last_frame"]) for p in parts] == [
        ("capture.pcapng", 3, 4),
        ("capture.pcapng", 5, 6),
    ]
    assert (served["line"], served["basis"], served["shape"], served["served_ms"]) == (
        "GET /v1/users/*", "seen", 0, 100.0,
    )  # fmt: skip


def test_what_is_withheld_is_named_and_only_that() -> None:
    http = _http()
    http.exchange(175, f"{POD}:40002", IMDS, TOKEN, took_ms=1)
    http.exchange(
        180, f"{POD}:40002", IMDS, "GET /latest/meta-data/instance-id", took_ms=1, marks=0x0F | SENT_TOKEN
    )
    _, parts = _tables(http)
    assert [part["withheld"] for part in parts] == [
        "credentials in the response",
        "",
        "token in the response",
        "token in the request",
    ]


def test_requests_that_cannot_be_read_are_rows_marked_as_inferred() -> None:
    http = HttpBuilder()
    http.turn(100, CLIENT, f"{POD}:8443", took_ms=60)
    http.exchange(110, f"{POD}:40000", BACKEND, "POST /ads/_search", took_ms=20)
    requests, parts = _tables(http)
    (row,) = [row for row in requests if row["basis"] == "inferred"]
    assert [r["rid"] for r in requests] == list(range(len(requests)))
    assert (row["requester"], row["responder"], row["responder_port"]) == ("10.2.0.9", POD, 8443)
    assert (row["start_ns"], row["duration_ms"], row["calls_ms"]) == (T0_NS + 100 * MS, 60.0, 20.0)
    assert (row["method"], row["status"], row["input"]) == ("", 0, "capture.pcapng")
    assert [part["served"] for part in parts] == [row["served"]]


def test_a_capture_without_served_requests_has_no_parts() -> None:
    http = HttpBuilder()
    http.exchange(100, CLIENT, SERVER, took_ms=100)
    requests, parts = _tables(http)
    assert parts == []
    assert [(r["served"], r["shape"], r["served_ms"]) for r in requests] == [(None, None, None)]
