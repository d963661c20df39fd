"""Both sides of each limit, and traffic made to fill the bounded memory."""

import gc
import tempfile
from pathlib import Path

import pytest

from backend.forensics.messages import FORGOTTEN
from workers.decode.loop.message_records import EXCHANGES, LINE_BYTES, STASHED_AT_MOST, WAITING_AT_MOST
from workers.decode.messages import reader
from workers.decode.tests.capture_bytes import decode, pcap
from workers.decode.tests.conversation import OK, Conversation, get, response, rows


def test_many_requests_in_one_segment(tmp_path: Path) -> None:
    """100,000 of them in two dozen segments as large as IP allows; then the connection is as good as ever."""
    one = b"GET / HTTP/1.1\r\n\r\n"
    talk = Conversation()
    for _ in range(28):
        talk.ask(one * 3600)
    capture = talk.capture(tmp_path)
    found = rows(capture)
    assert len(found) == 28 * 3600
    assert sum(1 for row in found if not row["marks"] & FORGOTTEN) == WAITING_AT_MOST
    assert any(
        "HTTP requests were not matched with their responses" in warning for warning in capture.warnings
    )


@pytest.mark.parametrize("waiting", [WAITING_AT_MOST, WAITING_AT_MOST + 1])
def test_waiting_requests(tmp_path: Path, waiting: int) -> None:
    talk = Conversation()
    for number in range(waiting):
        talk.ask(get(f"/{number}"))
    talk.reply(OK * waiting)
    found = rows(talk.capture(tmp_path))
    answered = [row for row in found if row["path"] and row["status"]]
    assert len(answered) == (waiting if waiting == WAITING_AT_MOST else 0)


def test_a_header_that_never_ends(tmp_path: Path) -> None:
    talk = Conversation().ask(b"GET /long HTTP/1.1\r\nX: ")
    for _ in range(300):
        talk.ask(b"a" * 60000)
    [row] = rows(talk.capture(tmp_path))
    assert (row["path"], row["request_bytes"]) == ("/long", 300 * 60000 + 23)


def test_a_first_line_that_never_ends(tmp_path: Path) -> None:
    talk = Conversation().ask(b"GET /")
    for _ in range(30):
        talk.ask(b"a" * 1000)
    assert rows(talk.capture(tmp_path)) == []


@pytest.mark.parametrize("more", [-1, 0, 1, 5000])
def test_a_long_line_over_two_segments(tmp_path: Path, more: int) -> None:
    ask = get("/" + "p" * (LINE_BYTES - len("GET / HTTP/1.1\r") + more))
    [row] = rows(Conversation().ask(ask, [100, len(ask) - 100]).reply(OK).capture(tmp_path))
    assert (row["path"][:2], row["status"], row["host"]) == ("/p", 200, "a.example")


@pytest.mark.parametrize("overtaking", [STASHED_AT_MOST, STASHED_AT_MOST + 1])
def test_segments_that_wait(tmp_path: Path, overtaking: int) -> None:
    head = b"HTTP/1.1 200 OK\r\nServer: abcdefghijklmnopqrstuvwxyz\r\nContent-Length: 0\r\n\r\n"
    sizes = [20, 5, *[4] * (overtaking - 1)]
    talk = Conversation().ask(get("/1")).reply(head, [*sizes, len(head) - sum(sizes)])
    last = len(talk.packets)
    order = [1, 2, 3, 4, 5, *range(7, 7 + overtaking), 6, *range(7 + overtaking, last + 1)]
    [row] = rows(talk.in_order(*order).capture(tmp_path))
    assert (row["server"] != "") == (overtaking == STASHED_AT_MOST)


@pytest.mark.parametrize("length", ["-1", "1e3", "0x10", "9" * 30, "5, 6", "", "+2"])
def test_lengths_that_are_none(tmp_path: Path, length: str) -> None:
    odd = f"HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\nab".encode()
    talk = Conversation().ask(get("/1")).reply(odd).ask(get("/2")).reply(response(b"z"))
    found = {row["path"]: row["status"] for row in rows(talk.capture(tmp_path))}
    assert found == {"/1": 200, "/2": 200}


@pytest.mark.parametrize("size", ["g", "", "-1", "f" * 20])
def test_chunk_sizes_that_are_none(tmp_path: Path, size: str) -> None:
    odd = f"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{size}\r\nab".encode()
    talk = Conversation().ask(get("/1")).reply(odd).ask(get("/2")).reply(response(b"z"))
    assert {row["path"]: row["status"] for row in rows(talk.capture(tmp_path))} == {"/1": 200, "/2": 200}


def test_more_open_requests_than_are_kept(tmp_path: Path) -> None:
    packets: list[tuple[int, bytes]] = []
    for port in range(EXCHANGES + 10):
        packets += Conversation(port=1024 + port, handshake=False).ask(get(f"/{port}")).packets
    capture = decode(pcap(packets), tmp_path)
    found = rows(capture)
    assert sorted(row["path"] for row in found) == sorted(f"/{port}" for port in range(EXCHANGES + 10))
    assert sum(1 for row in found if row["marks"] & FORGOTTEN) == 10


def test_a_large_table_goes_to_a_file_that_does_not_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(reader, "HELD_BYTES", 1000)
    talk = Conversation()
    for _ in range(30):
        talk.ask(get("/1") * 600).reply(OK * 600)
    capture = talk.capture(tmp_path)
    assert len(list(tmp_path.glob("stallscope-*/http.parquet"))) == 1
    rows_total = capture.messages.http.rows
    assert rows_total >= 30 * 600  # of so many at once a response may stand alone
    assert sum(batch.num_rows for batch in capture.messages.http.batches(["path"])) == rows_total
    del capture
    gc.collect()
    assert list(tmp_path.glob("stallscope-*")) == []
