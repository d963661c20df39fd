"""Messages over segments that are split, repeated, out of order, cut or missing."""

import random
from pathlib import Path

import pytest

from backend.forensics.messages import (
    PAIRED_BY_ACK,
    REQUEST_CUT,
    REQUEST_SEEN,
    RESPONSE_SEEN,
)
from workers.decode.tests.conversation import OK, Conversation, get, response, rows

CHUNKS = (b'{"Code" : "Success", "Expiration"', b' : "2026-11-21T01:11:41Z", "Token": "secret"}', b"")
CHUNKED_BODY = (
    b"HTTP/1.1 200 OK\r\nDate: Sat, 21 Nov 2026 00:56:51 GMT\r\nTransfer-Encoding: chunked\r\n\r\n"
    + b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in CHUNKS)
)
ASK = get("/latest/meta-data/iam/security-credentials/role", "X-Request-Id: 1") + get("/second")
ANSWER = CHUNKED_BODY + response(b"hello")
WHAT = ("method", "path", "status", "request_id", "expiration_ns", "metadata_code", "date_s", "request_bytes")


def _told(talk: Conversation, folder: Path) -> list[tuple[object, ...]]:
    return [tuple(row[name] for name in (*WHAT, "response_bytes")) for row in rows(talk.capture(folder))]


@pytest.fixture
def expected(tmp_path: Path) -> list[tuple[object, ...]]:
    """What the same bytes say in one segment each."""
    told = _told(Conversation().ask(ASK).reply(ANSWER), tmp_path)
    assert [line[:3] for line in told] == [
        ("GET", "/latest/meta-data/iam/security-credentials/role", 200),
        ("GET", "/second", 200),
    ]
    assert told[0][4:6] == (1795223501000000000, "Success")
    return told


def test_split_at_every_byte(tmp_path: Path, expected: list[tuple[object, ...]]) -> None:
    for at in range(1, len(ASK)):
        assert _told(Conversation().ask(ASK, [at, len(ASK) - at]).reply(ANSWER), tmp_path) == expected
    for at in range(1, len(ANSWER)):
        assert _told(Conversation().ask(ASK).reply(ANSWER, [at, len(ANSWER) - at]), tmp_path) == expected


def test_one_byte_a_segment(tmp_path: Path, expected: list[tuple[object, ...]]) -> None:
    talk = Conversation().ask(ASK, [1] * len(ASK)).reply(ANSWER, [1] * len(ANSWER))
    assert _told(talk, tmp_path) == expected


def test_segments_in_any_order_and_repeated(tmp_path: Path, expected: list[tuple[object, ...]]) -> None:
    shuffle = random.Random(1)
    for _ in range(40):
        sizes = [shuffle.randint(1, 80) for _ in range(6)]
        talk = Conversation().ask(ASK).reply(ANSWER, [*sizes, len(ANSWER) - sum(sizes)])
        order = [5, 6, 7, 8, 9, 10, 11]
        at = shuffle.randrange(6)
        order[at], order[at + 1] = order[at + 1], order[at]
        order.insert(shuffle.randrange(8), shuffle.choice(order))
        assert _told(talk.in_order(1, 2, 3, 4, *order), tmp_path) == expected, order


def test_a_request_whose_second_segment_came_first(
    tmp_path: Path, expected: list[tuple[object, ...]]
) -> None:
    talk = Conversation().ask(ASK, [30, 40, len(ASK) - 70]).reply(ANSWER)
    assert _told(talk.in_order(1, 2, 3, 5, 6, 4, 7), tmp_path) == expected


def test_a_lost_response_is_not_replaced_by_the_next(tmp_path: Path) -> None:
    talk = Conversation()
    for number in range(4):
        talk.ask(get(f"/{number}")).reply(response(b"x", status=f"20{number} A"))
    found = rows(talk.without(7).capture(tmp_path))  # frame 7 is the answer to /1
    assert [(row["path"], row["status"]) for row in sorted(found, key=lambda row: row["path"])] == [
        ("/0", 200), ("/1", 0), ("/2", 202), ("/3", 203),
    ]  # fmt: skip
    assert [bool(row["marks"] & PAIRED_BY_ACK) for row in found if row["path"] == "/2"] == [True]


def test_a_lost_request_leaves_a_response_alone(tmp_path: Path) -> None:
    talk = Conversation()
    for number in range(3):
        talk.ask(get(f"/{number}")).reply(response(b"x", status=f"20{number} A"))
    found = {(row["path"], row["status"]) for row in rows(talk.without(6).capture(tmp_path))}
    assert found == {("/0", 200), ("", 201), ("/2", 202)}


def test_bytes_missing_within_a_known_body_do_no_harm(tmp_path: Path) -> None:
    body = b"z" * 3000
    sizes = [1000, 1000, len(response(body)) - 2000]
    talk = Conversation().ask(get("/1")).reply(response(body), sizes).ask(get("/2")).reply(OK)
    found = rows(talk.without(6).capture(tmp_path))
    assert [(row["path"], row["status"]) for row in found] == [("/1", 200), ("/2", 200)]
    assert found[0]["response_bytes"] == len(response(body))


def test_a_connection_begun_before_the_capture(tmp_path: Path) -> None:
    talk = Conversation(handshake=False).reply(b"the end of a body").ask(get("/1")).reply(OK)
    [row] = rows(talk.capture(tmp_path))
    assert (row["path"], row["status"]) == ("/1", 200)


def test_a_snap_length_within_the_heads(tmp_path: Path) -> None:
    talk = Conversation()
    for number in range(2):
        talk.ask(get(f"/{number}", "User-Agent: " + "u" * 200)).reply(response(b"x" * 300))
    found = rows(talk.capture(tmp_path, snap_bytes=96))
    assert [(row["path"], row["status"]) for row in found] == [("/0", 200), ("/1", 200)]
    assert all(row["marks"] & (REQUEST_SEEN | RESPONSE_SEEN | REQUEST_CUT | PAIRED_BY_ACK) for row in found)


@pytest.mark.parametrize(
    ("snap_bytes", "paths"), [(52 + 19, ["/latest/meta-da"]), (52 + 5, ["/"]), (52 + 4, [])]
)
def test_a_snap_length_within_the_first_line(tmp_path: Path, snap_bytes: int, paths: list[str]) -> None:
    talk = Conversation().ask(get("/latest/meta-data/iam/")).reply(response(b"x" * 300))
    found = rows(talk.capture(tmp_path, snap_bytes=snap_bytes))
    asked = [row for row in found if row["marks"] & REQUEST_SEEN]
    assert [row["path"] for row in asked] == paths
    assert all(row["marks"] & REQUEST_CUT for row in asked)
    assert [row["status"] for row in found] == ([200] if snap_bytes >= 52 + 12 else [0] * len(paths))


def test_the_same_messages_at_another_sequence_number(tmp_path: Path) -> None:
    """Sequence numbers wrap within the response."""
    import workers.decode.tests.conversation as module

    before, module.SERVER_ISN = module.SERVER_ISN, 2**32 - 60
    try:
        talk = Conversation().ask(ASK).reply(ANSWER, [50, 50, len(ANSWER) - 100])
        assert [row["status"] for row in rows(talk.capture(tmp_path))] == [200, 200]
    finally:
        module.SERVER_ISN = before
