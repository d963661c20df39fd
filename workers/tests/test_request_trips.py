"""Round trips that HTTP requests show: none where a retransmitted request leaves open which copy was answered."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from backend.forensics.evidence.round_trips.message_trips import message_trips
from workers.decode.tests.capture_bytes import decode, pcap, tcp

SYN, ACK, PUSH = 0x02, 0x10, 0x18
MS = 1_000_000
REQUEST = b"GET /a HTTP/1.1\r\nHost: a\r\n\r\n"
RESPONSE = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


@pytest.mark.parametrize(
    ("sent_ms", "echoed", "trips"),
    [((10,), 110, 1), ((10, 220, 640), 740, 0), ((10, 220, 640), 110, 1)],
    ids=["sent once", "the last copy is answered", "the first copy is answered"],
)
def test_a_retransmitted_request_is_a_sample_only_where_its_first_copy_was_answered(
    tmp_path: Path, sent_ms: tuple[int, ...], echoed: int, trips: int
) -> None:
    """Time stamps count milliseconds from 100; the server acknowledges the request, then answers it."""
    back, end = partial(tcp, back=True), 1_001 + len(REQUEST)
    packets = [
        (0, tcp(SYN, 1_000, tsval=100)),
        (1 * MS, back(SYN | ACK, 9_000, 1_001, tsval=500, tsecr=100)),
        (2 * MS, tcp(ACK, 1_001, 9_001, tsval=102, tsecr=500, ip_id=2)),
        *(
            (ms * MS, tcp(PUSH, 1_001, 9_001, payload=REQUEST, tsval=100 + ms, tsecr=500, ip_id=3 + n))
            for n, ms in enumerate(sent_ms)
        ),
        (900 * MS, back(ACK, 9_001, end, tsval=1_400, tsecr=echoed)),
        (901 * MS, back(PUSH, 9_001, end, payload=RESPONSE, tsval=1_401, tsecr=echoed)),
    ]
    capture = decode(pcap(packets), tmp_path, "client.pcap")
    found = message_trips(capture)
    assert len(found) == trips
    assert [rtt // MS for rtt in found["rtt_ns"].tolist()] == [891] * trips
