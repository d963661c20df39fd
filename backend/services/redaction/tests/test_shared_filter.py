from __future__ import annotations

import pytest

from backend.errors import InvalidRequest
from backend.services.redaction.names import Hiding
from backend.services.redaction.shared_filter import shared_filter

ALL = Hiding(addresses=True, payload=True)
WORDS = Hiding(addresses=False, payload=True)


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
    assert shared_filter(text, origin, ALL) == text


def test_a_name_alone_is_what_it_stands_for() -> None:
    assert shared_filter("pod-1", origin, ALL) == "10.244.35.21"


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
        shared_filter(text, origin, ALL)


def test_a_number_alone_is_a_port_for_it_would_be_found_in_addresses() -> None:
    assert shared_filter("244", origin, ALL) == "tcp.port == 244 || udp.port == 244"
    assert shared_filter("244", origin, WORDS) == "244"


def test_where_only_words_are_hidden_only_they_cannot_be_asked_for() -> None:
    assert shared_filter("ip.addr == 10.0.0.1 && lane == eth0", origin, WORDS)
    for text in ('http.request.uri contains "/v1"', "ip.addr == 10.0.0.1 && dns.qry.name == a", "http.host"):
        with pytest.raises(InvalidRequest):
            shared_filter(text, origin, WORDS)
