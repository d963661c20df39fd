"""A served request is taken apart into what its server asked of others, and the rest."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from backend.forensics.captures import Capture
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.messages import HeldMessages, message_schema
from backend.forensics.served_requests import describe_served
from backend.forensics.tests.build_capture import MS, T0_NS
from backend.forensics.tests.build_dns import DnsBuilder
from backend.forensics.tests.build_http import CREDENTIALS, IMDS, POD, HttpBuilder

CLIENT, BACKEND = "10.2.0.9:20000", "10.3.0.5:9200"
SERVER = f"{POD}:8000"


def _ms(facts: Facts) -> dict[str, list[float]]:
    breakdown = facts.breakdown
    parts = dict(zip(("metadata", "dns", "calls"), breakdown.part_ns, strict=True)) | {
        "own": breakdown.own_ns
    }
    return {name: (ns / 1e6).round(3).tolist() for name, ns in parts.items()}


def _with_lookup(capture: Capture, at_ms: float, takes_ms: float) -> Capture:
    """The capture with a lookup by the pod in it."""
    dns = DnsBuilder()
    dns.lookup(T0_NS + round(at_ms * MS), "search.example", takes_ns=round(takes_ms * MS), client=POD)
    built = dns.build()
    table = built.messages.dns.read(message_schema("dns").names)
    moved = pa.array(table.column("connection").to_numpy() + len(capture.connections), pa.uint32())
    table = table.set_column(table.schema.get_field_index("connection"), "connection", moved)
    connections = np.concatenate([capture.connections, built.connections])
    messages = replace(capture.messages, dns=HeldMessages(table))
    return replace(capture, connections=connections, messages=messages)


def _request() -> HttpBuilder:
    """100 ms: 20 ms metadata, 30 ms further down, 50 ms own work."""
    http = HttpBuilder()
    http.exchange(100, CLIENT, SERVER, "GET /v1/users/17?q=*", took_ms=100)
    http.exchange(110, f"{POD}:40000", IMDS, CREDENTIALS, took_ms=20)
    http.exchange(140, f"{POD}:40001", BACKEND, "POST /ads/_search", took_ms=30)
    return http


def test_the_parts_and_the_rest_are_the_whole() -> None:
    facts = gather_facts([_request().build()], [])
    assert _ms(facts) == {"metadata": [20.0], "dns": [0.0], "calls": [30.0], "own": [50.0]}


def test_a_lookup_is_a_part() -> None:
    facts = gather_facts([_with_lookup(_request().build(), 175, 8)], [])
    assert _ms(facts) == {
        "metadata": [20.0],
        "dns": [8.5],
        "calls": [30.0],
        "own": [41.5],
    }  # AAAA 0.5 ms later


def test_what_is_open_at_once_counts_once() -> None:
    http = _request()
    http.exchange(145, f"{POD}:40002", BACKEND, "GET /other", took_ms=40)  # 25 ms of it after the first call
    http.exchange(
        120, f"{POD}:40003", BACKEND, "GET /third", took_ms=15
    )  # 10 ms of it during the metadata call
    facts = gather_facts([http.build()], [])
    assert _ms(facts) == {"metadata": [20.0], "dns": [0.0], "calls": [50.0], "own": [30.0]}


@pytest.mark.parametrize(("at_ms", "took_ms", "inside"), [(100, 100, 1), (99.9, 50, 0), (150, 50.1, 0)])
def test_a_part_lies_between_arrival_and_the_end_of_the_answer(
    at_ms: float, took_ms: float, inside: int
) -> None:
    http = HttpBuilder()
    http.exchange(100, CLIENT, SERVER, took_ms=100)
    http.exchange(at_ms, f"{POD}:40001", BACKEND, took_ms=took_ms)
    assert gather_facts([http.build()], []).breakdown.part_count[2].tolist() == [inside]


def test_a_server_that_is_never_seen_to_ask_is_not_taken_apart() -> None:
    http = HttpBuilder()
    http.exchange(100, CLIENT, SERVER, took_ms=100)
    facts = gather_facts([http.build()], [])
    assert len(facts.breakdown) == 0
    assert describe_served(facts) is None


def test_what_a_host_asks_of_itself_is_no_part_of_itself() -> None:
    http = HttpBuilder()
    http.exchange(100, "127.0.0.1:40000", "127.0.0.1:8000", took_ms=50)
    http.turn(300, "127.0.0.1:40001", "127.0.0.1:5432", took_ms=20)
    facts = gather_facts([http.build()], [])
    assert _ms(facts) == {"metadata": [0.0], "dns": [0.0], "calls": [0.0], "own": [50.0]}


def test_requests_of_one_shape_are_grouped() -> None:
    http = HttpBuilder()
    for n in range(9):
        at_ms = 100 + 300 * n
        http.exchange(at_ms, f"10.2.0.9:{20_000 + n}", SERVER, f"GET /v1/users/{n}?q=*", took_ms=50 + n)
        for k in range(2 if n < 6 else 3):
            http.exchange(at_ms + 1 + 10 * k, f"{POD}:40000", BACKEND, "POST /ads/_search", took_ms=5)
    served = describe_served(gather_facts([http.build()], []))
    assert served is not None
    assert [(s.request, s.count, [c.count for c in s.callees]) for s in served.shapes] == [
        ("GET /v1/users/*", 6, [2]),
        ("GET /v1/users/*", 3, [3]),
    ]
    first = served.shapes[0]
    assert (first.total_p50_ms, first.calls_p50_ms, first.own_p50_ms) == (52.5, 10.0, 42.5)
    assert [part.note for part in first.examples] == ["50 ms", "53 ms", "55 ms"]
    assert first.callees[0].name == "POST 10.3.0.5:9200/ads/_search"


def test_one_sentence_says_which_part_cost_most() -> None:
    served = describe_served(gather_facts([_request().build()], []))
    assert served is not None
    assert served.statement == (
        "Of the 100 ms that 1 served request took, own processing cost most: 50 %; upstream calls 30 %, "
        "metadata calls 20 %."
    )


def test_without_payload_turns_of_data_are_taken_for_requests() -> None:
    """TLS in and out: who sent data when is all that is seen."""
    http = HttpBuilder()
    http.turn(100, CLIENT, f"{POD}:8443", took_ms=80)
    http.turn(120, f"{POD}:40001", "10.3.0.5:443", took_ms=30)
    http.turn(300, CLIENT, f"{POD}:8443", took_ms=10)  # asks nobody: a protocol's own talk
    facts = gather_facts([http.build()], [])
    assert _ms(facts) == {"metadata": [0.0], "dns": [0.0], "calls": [30.0], "own": [50.0]}
    served = describe_served(facts)
    assert served is not None
    assert (served.count, served.inferred) == (1, 1)
    [shape] = served.shapes
    assert (shape.basis, shape.request) == ("inferred", "10.1.0.7:8443")
    assert shape.callees[0].name == "10.3.0.5:443 (inferred)"


def test_talk_of_one_host_with_itself_serves_nobody() -> None:
    http = HttpBuilder()
    http.turn(100, "127.0.0.1:40001", "127.0.0.1:6379", took_ms=80)
    http.turn(120, "127.0.0.1:40002", "127.0.0.1:6379", took_ms=30)
    assert len(gather_facts([http.build()], []).breakdown) == 0


def test_a_call_without_payload_is_a_part_of_a_request_with() -> None:
    http = HttpBuilder()
    http.exchange(100, CLIENT, SERVER, took_ms=100)
    http.turn(120, f"{POD}:40001", "10.3.0.5:443", took_ms=30)
    facts = gather_facts([http.build()], [])
    assert _ms(facts)["calls"] == [30.0]
    assert not facts.breakdown.inferred.any()
