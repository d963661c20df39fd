"""What is read out of whole HTTP messages."""

from pathlib import Path

import pytest

from backend.forensics.connections import NEVER
from backend.forensics.messages import (
    CHUNKED,
    CLOSES,
    REQUEST_COMPLETE,
    REQUEST_SEEN,
    RESPONSE_COMPLETE,
    RESPONSE_CUT,
    RESPONSE_SEEN,
    SENT_TOKEN,
    UNTIL_CLOSE,
)
from backend.forensics.packets import RST
from workers.decode.tests.capture_bytes import MS, START_NS
from workers.decode.tests.conversation import OK, Conversation, get, response, rows

WHOLE = REQUEST_SEEN | REQUEST_COMPLETE | RESPONSE_SEEN | RESPONSE_COMPLETE


def test_a_request_and_its_response(tmp_path: Path) -> None:
    head = ("User-Agent: curl/8", "X-Request-Id: r-1", "traceparent: 00-aa-bb-01")
    date = ("Date: Sat, 21 Nov 2026 00:56:51 GMT", "Server: EC2ws", "Retry-After: 7", "Location: /b?x=1")
    talk = Conversation().ask(get("/a", *head)).reply(response(b"hello", *date, status="503 Busy"), [40, 91])
    [row] = rows(talk.capture(tmp_path))
    assert (row["method"], row["path"], row["host"], row["status"]) == ("GET", "/a", "a.example", 503)
    assert (row["user_agent"], row["request_id"], row["server"]) == ("curl/8", "r-1", "EC2ws")
    assert (row["traceparent"], row["location"], row["retry_after_s"]) == ("00-aa-bb-01", "/b?x=*", 7)
    assert (row["marks"], row["date_s"], row["from_client"]) == (WHOLE, 1795222611, 1)
    frames = [
        row[f"{name}_frame"] for name in ("request_first", "request_last", "response_first", "response_last")
    ]
    assert frames == [4, 4, 5, 6]
    assert row["response_last_ns"] - START_NS == 6 * MS
    assert row["request_bytes"] == len(get("/a", *head))
    assert row["response_bytes"] == 131
    assert (row["request_sequence"], row["response_sequence"]) == (1001, 5001)


def test_keep_alive_and_pipelining(tmp_path: Path) -> None:
    talk = Conversation()
    for number in range(3):
        talk.ask(get(f"/one/{number}")).reply(OK)
    talk.ask(b"".join(get(f"/many/{number}") for number in range(3)))
    talk.reply(b"".join(response(b"x", status=f"{status} A") for status in (201, 202, 203)))
    found = rows(talk.capture(tmp_path))
    assert [row["path"] for row in found] == [
        *(f"/one/{n}" for n in range(3)),
        *(f"/many/{n}" for n in range(3)),
    ]
    assert [row["status"] for row in found] == [200, 200, 200, 201, 202, 203]
    assert all(row["marks"] == WHOLE for row in found)


@pytest.mark.parametrize("status", ["204 No Content", "304 Not Modified"])
def test_responses_without_a_body(tmp_path: Path, status: str) -> None:
    bare = f"HTTP/1.1 {status}\r\nContent-Length: 99\r\n\r\n".encode()
    talk = Conversation().ask(get("/1")).reply(bare).ask(get("/2")).reply(OK)
    assert [row["status"] for row in rows(talk.capture(tmp_path))] == [int(status[:3]), 200]


def test_the_answer_to_head_has_no_body(tmp_path: Path) -> None:
    talk = (
        Conversation().ask(b"HEAD / HTTP/1.1\r\n\r\n").reply(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n")
    )
    found = rows(talk.ask(get("/2")).reply(OK).capture(tmp_path))
    assert [(row["method"], row["marks"]) for row in found] == [("HEAD", WHOLE), ("GET", WHOLE)]


def test_chunks_that_look_like_messages_are_skipped(tmp_path: Path) -> None:
    inner = get("/inner") + OK
    chunk = b"%x;name=value\r\n%s\r\n" % (len(inner), inner)
    body = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n" + chunk + b"0\r\nTrailer: x\r\n\r\n"
    start = body.index(b"GET")
    sizes = [start, len(inner), len(body) - start - len(inner)]  # a segment begins with the inner request
    talk = Conversation().ask(get("/1")).reply(body, sizes).ask(get("/2")).reply(OK)
    found = rows(talk.capture(tmp_path))
    assert [(row["path"], row["marks"]) for row in found] == [("/1", WHOLE | CHUNKED), ("/2", WHOLE)]
    assert found[0]["response_bytes"] == len(body)


def test_a_body_that_looks_like_a_message_is_skipped(tmp_path: Path) -> None:
    body = get("/inner")
    post = f"POST /up HTTP/1.1\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    talk = Conversation().ask(post + body, [len(post), len(body)]).reply(OK)
    [row] = rows(talk.capture(tmp_path))
    assert (row["path"], row["request_last_frame"], row["request_bytes"]) == ("/up", 5, len(post + body))


def test_a_response_until_close(tmp_path: Path) -> None:
    head = b"HTTP/1.0 200 OK\r\nConnection: close\r\n\r\n"
    talk = Conversation().ask(get("/1")).reply(head + b"GET /x HTTP/1.1\r\n\r\n", [len(head), 19]).end()
    [row] = rows(talk.capture(tmp_path))
    assert row["marks"] == WHOLE | UNTIL_CLOSE | CLOSES
    assert (row["response_last_frame"], row["response_bytes"]) == (7, len(head) + 19)


def test_a_connection_reset_within_a_response(tmp_path: Path) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc"
    [row] = rows(Conversation().ask(get("/1")).reply(head).end(RST).capture(tmp_path))
    assert row["marks"] == REQUEST_SEEN | REQUEST_COMPLETE | RESPONSE_SEEN | RESPONSE_CUT
    assert (row["response_last_ns"], row["response_bytes"]) == (NEVER, len(head))


def test_a_request_that_nobody_answers(tmp_path: Path) -> None:
    [row] = rows(Conversation().ask(get("/1")).capture(tmp_path))
    assert (row["status"], row["marks"]) == (0, REQUEST_SEEN | REQUEST_COMPLETE)
    assert row["response_first_ns"] == row["response_first_frame"] == NEVER


def test_an_interim_response_is_none(tmp_path: Path) -> None:
    talk = (
        Conversation()
        .ask(get("/1", "Expect: 100-continue"))
        .reply(b"HTTP/1.1 100 Continue\r\n\r\n")
        .reply(OK)
    )
    [row] = rows(talk.capture(tmp_path))
    assert (row["status"], row["response_first_frame"]) == (200, 6)


def test_after_an_upgrade_nothing_is_http(tmp_path: Path) -> None:
    talk = Conversation().ask(get("/ws", "Upgrade: websocket")).reply(b"HTTP/1.1 101 Go\r\n\r\n\x81\x05hello")
    talk.ask(b"\x81\x85GET / HTTP/1.1\r\n\r\n").reply(b"\x81\x02ok")
    [row] = rows(talk.capture(tmp_path))
    assert (row["status"], row["marks"]) == (101, WHOLE)


@pytest.mark.parametrize(
    "first_line",
    [
        "GET /x",
        "GET  HTTP/1.1",
        "get / HTTP/1.1",
        "GET / HTTP/2.0",
        "GET /a b HTTP/1.1x",
        "HTTP/1.1 20 OK",
        "HTTP/1.1",
    ],
)
def test_what_only_looks_like_a_message(tmp_path: Path, first_line: str) -> None:
    assert rows(Conversation().ask(f"{first_line}\r\n\r\n".encode()).capture(tmp_path)) == []


def test_metadata_headers(tmp_path: Path) -> None:
    put = b"PUT /latest/api/token HTTP/1.1\r\nX-aws-ec2-metadata-token-ttl-seconds: 21600\r\n\r\n"
    talk = Conversation().ask(put).reply(response(b"secret"))
    talk.ask(get("/latest/meta-data/", "X-aws-ec2-metadata-token: secret")).reply(OK)
    first, second = rows(talk.capture(tmp_path))
    assert (first["token_ttl_s"], first["marks"] & SENT_TOKEN) == (21600, 0)
    assert (second["token_ttl_s"], second["marks"] & SENT_TOKEN) == (NEVER, SENT_TOKEN)


def test_texts_are_cut_and_made_printable(tmp_path: Path) -> None:
    ask = get("/" + "p" * 600, "User-Agent: " + "u" * 300, "X-Request-Id: \xe4\x01b".replace("\xe4", "ä"))
    [row] = rows(Conversation().ask(ask).capture(tmp_path))
    assert (len(row["path"]), len(row["user_agent"]), row["request_id"]) == (511, 256, "???b")
