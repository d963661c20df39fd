"""Bodies that are too large, too slow, too deep or announced falsely, sent byte by byte to a real server."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import httpx
import pytest
import uvicorn
from fastapi import FastAPI

from backend.api import body_limits
from backend.api.body_limits import DEFAULT_BYTES, LIMITS, STREAMED, limit_of
from backend.api.bounded_connections import BoundedConnection
from backend.api.host_origin_guard import HostOriginGuard
from backend.api.tests.conftest import PORT

ADDRESS = "/api/v1/investigations"
HEADER_S = 0.3


@pytest.fixture
def own(client: httpx.Client) -> str:
    return client.post(ADDRESS, json={"label": "x"}).headers["location"]


class Impatient(BoundedConnection):
    header_within_s = HEADER_S
    at_most = 3


@contextmanager
def impatient_server(app: FastAPI) -> Iterator[tuple[str, int]]:
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(HostOriginGuard(app, PORT), log_level="critical", http=Impatient))
    serving = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    serving.start()
    yield listener.getsockname()
    server.should_exit = True
    serving.join()
    listener.close()


def raw(where: tuple[str, int], *lines: str) -> socket.socket:
    connection = socket.create_connection(where, timeout=120)
    connection.sendall("\r\n".join([*lines, f"Host: localhost:{PORT}", "", ""]).encode())
    return connection


def address_of(client: httpx.Client) -> tuple[str, int]:
    parts = urlsplit(str(client.base_url))
    return parts.hostname or "", parts.port or 0


def status(connection: socket.socket) -> int:
    with connection, connection.makefile("rb") as answer:
        return int(answer.readline().split()[1])


def test_the_table_names_routes_that_are_there(app: FastAPI) -> None:
    paths = app.openapi()["paths"]
    served = {f"{method.upper()} {path}" for path, methods in paths.items() for method in methods}
    assert set(LIMITS) <= served
    streamed = {route for route in served if limit_of(route) == STREAMED}
    assert {one.split(" ")[0] for one in streamed} == {"PUT", "PATCH"}
    assert len(streamed) == 2


@pytest.mark.promise("No body is read beyond the limit of its route, with or without Content-Length.")
@pytest.mark.parametrize(
    ("path", "most_bytes"),
    [
        ("", DEFAULT_BYTES),
        ("/notes", LIMITS["POST /api/v1/investigations/{investigation_id}/notes"]),
        ("/nowhere", DEFAULT_BYTES),
    ],
)
def test_a_body_beyond_the_limit_is_refused(
    client: httpx.Client, own: str, path: str, most_bytes: int
) -> None:
    address = f"{own}{path}" if path else ADDRESS
    for size, is_refused in ((most_bytes, False), (most_bytes + 1, True)):
        body = b" " * size
        for content in (body, iter([body])):
            answer = client.post(address, content=content, headers={"Content-Type": "application/json"})
            assert (answer.status_code == 413) is is_refused, (size, answer.text)
            assert answer.status_code < 500
    assert "limit" in answer.json()["detail"]


def test_300_mib_are_refused_before_they_come(client: httpx.Client) -> None:
    announced = raw(address_of(client), f"POST {ADDRESS} HTTP/1.1", f"Content-Length: {300 << 20}")
    assert status(announced) == 413


def test_a_refused_body_without_a_length_is_not_read_to_its_end(client: httpx.Client) -> None:
    sent = 0
    connection = raw(address_of(client), f"POST {ADDRESS} HTTP/1.1", "Transfer-Encoding: chunked")
    with connection:
        try:
            while sent < 300 << 20:
                connection.sendall(b"100000\r\n" + bytes(1 << 20) + b"\r\n")
                sent += 1 << 20
        except OSError:
            pass
    assert sent < 64 << 20


def test_bodies_that_are_held_together_have_a_bound(
    client: httpx.Client, own: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(body_limits, "HELD_AT_MOST_BYTES", 1000)
    answer = client.post(f"{own}/notes", json={"text": "n" * 1500})
    assert (answer.status_code, "retry-after" in answer.headers) == (503, True)
    assert client.post(f"{own}/notes", json={"text": "n" * 500}).status_code == 201


@pytest.mark.parametrize("body", ["[" * 500_000, '{"a":' * 150_000, '{"label":' + "9" * 900_000 + "}"])
def test_deep_and_endless_values_are_a_mistake_of_the_client(client: httpx.Client, body: str) -> None:
    answer = client.post(ADDRESS, content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code in (400, 422)


@pytest.mark.parametrize(
    "headers",
    [
        ("Content-Length: 5", "Content-Length: 6"),
        ("Content-Length: -1",),
        ("Content-Length: 1e3",),
        ("Content-Length: 99999999999999999999999",),
        ("Content-Length: 2", "Transfer-Encoding: chunked"),
        ("Content-Length: 2", "Content-Type: application/json", "Content-Type: text/plain"),
        ("Content-Length: 2", "Idempotency-Key: a", "Idempotency-Key: b"),
    ],
)
def test_headers_that_contradict_one_another_are_refused(
    client: httpx.Client, headers: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Of two lengths the chunks count, and the first one never ends.
    monkeypatch.setattr(body_limits, "GRACE_S", 0.2)
    connection = raw(address_of(client), f"POST {ADDRESS} HTTP/1.1", *headers)
    connection.sendall(b"{}")
    assert 400 <= status(connection) < 500


@pytest.mark.promise("A client that sends slowly does not hold a connection.")
def test_a_body_that_trickles_is_given_up(
    client: httpx.Client, own: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(body_limits, "GRACE_S", 0.2)
    for request in (f"POST {ADDRESS}", f"PUT {own}/files/a.pcap"):
        connection = raw(address_of(client), f"{request} HTTP/1.1", "Content-Length: 1000")
        connection.sendall(b" ")
        assert status(connection) == 408
    assert client.get(f"{own}/files").json()["items"] == []


def test_a_body_that_comes_slowly_but_steadily_is_read(
    client: httpx.Client, own: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(body_limits, "GRACE_S", 20.0)
    body = json.dumps({"text": "n" * 200}).encode()
    length = f"Content-Length: {len(body)}"
    connection = raw(
        address_of(client), f"POST {own}/notes HTTP/1.1", length, "Content-Type: application/json"
    )
    for at in range(0, len(body), 100):
        connection.sendall(body[at : at + 100])
        time.sleep(0.05)
    assert status(connection) == 201


@pytest.mark.promise("A header that is not complete in time ends its connection.")
@pytest.mark.parametrize("first", [b"", b"GET /healthz HTTP/1.1\r\nHost: lo"])
def test_a_header_that_does_not_come_ends_the_connection(app: FastAPI, first: bytes) -> None:
    with impatient_server(app) as where, socket.create_connection(where, timeout=120) as connection:
        connection.sendall(first)
        assert connection.recv(1) == b""


def test_a_header_that_trickles_ends_the_connection_too(app: FastAPI) -> None:
    ended = False
    with impatient_server(app) as where, socket.create_connection(where, timeout=120) as connection:
        for _ in range(600):
            try:
                connection.sendall(b"G")
            except OSError:
                ended = True
                break
            time.sleep(HEADER_S / 10)
    assert ended


def test_a_connection_that_goes_on_in_time_is_kept(app: FastAPI, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Impatient, "header_within_s", 30.0)
    with impatient_server(app) as where, socket.create_connection(where, timeout=120) as connection:
        request = f"GET /healthz HTTP/1.1\r\nHost: localhost:{PORT}\r\n\r\n".encode()
        for _ in range(3):  # one after the other: each answer begins a new wait
            connection.sendall(request)
            answer = b""
            while not answer.endswith(b"\r\n\r\nok"):
                answer += connection.recv(4096)
            assert answer.startswith(b"HTTP/1.1 200")


def test_connections_beyond_the_bound_are_refused(app: FastAPI) -> None:
    with impatient_server(app) as where:
        held = [socket.create_connection(where, timeout=120) for _ in range(Impatient.at_most)]
        with socket.create_connection(where, timeout=120) as one_more:
            assert one_more.recv(64).startswith(b"HTTP/1.1 503")
        for connection in held:
            connection.close()
