"""What each destination cost its clients, counted once however many vantage points saw it."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from backend.forensics.captures import Capture
from backend.forensics.connections import NEVER
from backend.forensics.destination_table import VALUES_KEPT, list_destination_parts, thinned
from backend.forensics.evidence.attempts.waits import DestinationWaits
from backend.forensics.evidence.facts import gather_facts
from backend.forensics.messages import (
    HTTP_DTYPE,
    REQUEST_SEEN,
    RESPONSE_SEEN,
    TEXTS,
    HeldMessages,
    Messages,
    message_schema,
)
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, S, plain_path

SERVER = "10.0.0.2:80"


def _waits(*captures: Capture) -> list[DestinationWaits]:
    return list(gather_facts(captures, []).waits)


def _capture(*, retried: bool = False, silent: bool = False) -> CaptureBuilder:
    """A connection that opens in 0.5 ms, seen at two places; maybe one at the second try, and a silent one."""
    builder = CaptureBuilder()
    builder.connect(T0_NS, plain_path("10.0.0.1:40000", SERVER, "cni0", "eth0"), isn=1000)
    if retried:
        again = plain_path("10.0.0.1:40001", SERVER, "cni0", "eth0")
        builder.retry(T0_NS + S, again, isn=2000, seen_at=1)
    if silent:
        builder.syn(T0_NS + 2 * S, plain_path("10.0.0.1:40002", SERVER, "cni0", "eth0"), isn=3000)
    return builder


def _with_requests(capture: Capture, *rows: dict[str, int]) -> Capture:
    table = np.zeros(len(rows), HTTP_DTYPE)
    for number, row in enumerate(rows):
        table[number]["marks"], table[number]["from_client"] = REQUEST_SEEN | RESPONSE_SEEN, 1
        for name, value in row.items():
            table[name][number] = value
    columns = [pa.array(np.ascontiguousarray(table[n])) for n in HTTP_DTYPE.names or ()]
    texts = [pa.array([""] * len(rows), pa.string()) for _ in TEXTS["http"]]
    held = HeldMessages(pa.table([*columns, *texts], schema=message_schema("http")))
    return replace(capture, messages=Messages(http=held))


def _request(place: int, sequence: int, wait_ms: int) -> dict[str, int]:
    asked = T0_NS + 10 * MS
    return {
        "connection": place,
        "vantage": place,
        "request_sequence": sequence,
        "request_last_ns": asked,
        "response_first_ns": asked + wait_ms * MS,
    }


def test_two_sightings_of_a_connection_are_one_sample() -> None:
    [waits] = _waits(_capture().build())
    assert (waits.attempts, waits.sent_again, waits.unopened) == (1, 0, 0)
    # The builder answers after 0.5 ms; to the inner vantage point that takes the way there and back longer.
    assert waits.milliseconds["connect_time"].tolist() == pytest.approx([0.52], abs=0.03)
    assert waits.milliseconds["rtt"].tolist() == waits.milliseconds["connect_time"].tolist()


def test_a_syn_sent_again_counts_for_connecting_and_not_for_the_round_trip() -> None:
    [waits] = _waits(_capture(retried=True).build())
    assert (waits.attempts, waits.sent_again) == (2, 1)
    assert waits.milliseconds["connect_time"][-1] == pytest.approx(1000.5, abs=0.1)
    assert len(waits.milliseconds["rtt"]) == 1


def test_what_never_opened_is_counted_and_has_no_sample() -> None:
    [waits] = _waits(_capture(silent=True).build())
    assert (waits.attempts, waits.unopened) == (2, 1)
    assert len(waits.milliseconds["connect_time"]) == 1


def test_a_request_seen_twice_is_one_sample_as_the_client_saw_it() -> None:
    capture = _with_requests(
        _capture().build(), _request(1, 1001, 3), _request(0, 1001, 4), _request(0, 1100, 9)
    )
    [waits] = _waits(capture)
    assert waits.milliseconds["service_time"].tolist() == [4.0, 9.0]


def test_a_request_without_its_end_is_no_sample() -> None:
    capture = _with_requests(
        _capture().build(),
        _request(0, 1001, 3) | {"request_last_ns": NEVER},
        _request(0, 1100, -1),
        _request(0, 1200, 5) | {"marks": REQUEST_SEEN},
    )
    assert "service_time" not in _waits(capture)[0].milliseconds


def test_a_request_that_the_server_sends_belongs_to_the_client() -> None:
    capture = _with_requests(_capture().build(), _request(0, 1001, 3) | {"from_client": 0})
    by_server = {each.server[2]: each for each in _waits(capture)}
    assert by_server[40000].milliseconds["service_time"].tolist() == [3.0]


def test_a_capture_without_packets_has_no_destination() -> None:
    assert _waits(CaptureBuilder().build()) == []
    assert _waits() == []


@pytest.mark.parametrize("samples", [VALUES_KEPT, VALUES_KEPT + 1])
def test_many_samples_are_thinned_with_both_ends_kept(samples: int) -> None:
    kept = thinned(np.arange(samples, dtype=np.float64))
    assert (len(kept), kept[0], kept[-1]) == (VALUES_KEPT, 0.0, samples - 1.0)


def test_the_report_counts_all_samples_of_a_destination() -> None:
    [part] = list_destination_parts(gather_facts([_capture(retried=True).build()], []))
    assert (part.destination, part.attempts, part.sent_again) == (SERVER, 2, 1)
    assert {each.quantity: each.samples for each in part.distributions} == {"connect_time": 2, "rtt": 1}
