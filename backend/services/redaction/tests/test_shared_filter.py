from __future__ import annotations

import pytest

from backend.errors import InvalidRequest
from backend.services.redaction.shared_filter import shared_filter


def origin(name: str) -> str:
    if name == "pod-1":
        return "10.244.35.21"
    raise InvalidRequest("unknown name")


@pytest.mark.parametrize(
    "text",
    [
        "tcp.flags.syn == 1 && finding == A",
        "frame.number in {1..9, 0x10} || !tcp",
        "conn == 7 and tcp.port == 80",
        "tcp",
    ],
)
def test_what_is_shown_may_be_asked_for(text: str) -> None:
    assert shared_filter(text, origin) == text


def test_a_name_alone_is_what_it_stands_for() -> None:
    assert shared_filter("pod-1", origin) == "10.244.35.21"


@pytest.mark.parametrize(
    "text",
    [
        "ip.addr == 10.244.35.21",
        "ip.src in {10.0.0.0/8}",
        'http.request.uri contains "/v1"',
        'dns.qry.name == "a.example"',
        "http.host",
        'lane == "eth0"',
        "file == any.pcap",
        "missing == eth0",
        "10.244.35.21",
        "tls.handshake.extensions_server_name == a",
        "tcp && ip.src == 10.0.0.1",
    ],
)
def test_what_is_hidden_cannot_be_guessed_by_counts(text: str) -> None:
    with pytest.raises(InvalidRequest):
        shared_filter(text, origin)
