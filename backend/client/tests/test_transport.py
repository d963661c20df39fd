"""Uploads over a connection that is cut, and servers that say to come later."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest
import uvicorn

from backend.api.app import create_app
from backend.api.host_origin_guard import HostOriginGuard
from backend.client import Problem, Sent, Stallscope, uploads
from backend.settings import Settings
from backend.storage.store import open_store

CUT_AFTER_BYTES = 300_000


class CuttingProxy:
    """Passes bytes on; the first connection that brings more than CUT_AFTER_BYTES is cut there."""

    def __init__(self, backend_port: int, listener: socket.socket) -> None:
        self._backend_port = backend_port
        self._listener = listener
        self.cuts = 0

    def serve(self) -> None:
        """Until the listener is closed."""
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                threading.Thread(target=self._pass_on, args=(near,), daemon=True).start()

    def _pass_on(self, near: socket.socket) -> None:
        far = socket.create_connection(("127.0.0.1", self._backend_port))
        threading.Thread(target=self._copy, args=(far, near), daemon=True).start()
        self._copy(near, far, cut=True)

    def _copy(self, source: socket.socket, target: socket.socket, *, cut: bool = False) -> None:
        passed = 0
        with suppress(OSError):
            while piece := source.recv(65_536):
                passed += len(piece)
                if cut and not self.cuts and passed > CUT_AFTER_BYTES:
                    self.cuts += 1
                    break
                target.sendall(piece)
        for each in (source, target):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()


@contextmanager
def cut_server(folder: Path) -> Iterator[tuple[str, CuttingProxy]]:
    """(address of the proxy, the proxy) before a server that knows the proxy's port as its own."""
    store = open_store(Settings(data=folder, database_url=""), migrate=True)
    inner, outer = (socket.create_server(("127.0.0.1", 0)) for _ in range(2))
    port = outer.getsockname()[1]
    server = uvicorn.Server(uvicorn.Config(HostOriginGuard(create_app(store), port), log_level="critical"))
    proxy = CuttingProxy(inner.getsockname()[1], outer)
    serving = threading.Thread(target=server.run, kwargs={"sockets": [inner]})
    passing = threading.Thread(target=proxy.serve)
    serving.start()
    passing.start()
    yield f"http://127.0.0.1:{port}", proxy
    outer.shutdown(socket.SHUT_RDWR)
    outer.close()
    server.should_exit = True
    serving.join()
    passing.join()
    store.close()


def test_a_large_file_goes_on_where_it_was_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "RESUMABLE_FROM_BYTES", 100_000)
    monkeypatch.setattr(uploads, "PIECE_BYTES", 400_000)
    monkeypatch.setattr(uploads, "READ_BYTES", 50_000)
    capture = tmp_path / "a.pcap"
    capture.write_bytes(b"\xd4\xc3\xb2\xa1\x02\x00\x04\x00" + bytes(range(256)) * 4000)
    sent: list[Sent] = []
    with cut_server(tmp_path / "data") as (address, proxy), Stallscope(address, token="") as server:
        made = server.create_investigation()
        file = made.upload(capture, host="node-7", progress=sent.append)
        again = made.upload(capture)
    assert proxy.cuts == 1
    assert (file.status, file.size_bytes) == ("stored", capture.stat().st_size)
    assert again.id == file.id
    assert sent[-1].bytes_sent == sent[-1].bytes_total == file.size_bytes


class Full(BaseHTTPRequestHandler):
    """Full for two requests, then not any more."""

    asked: ClassVar[list[str]] = []

    def do_POST(self) -> None:
        self.asked.append(self.headers["Idempotency-Key"])
        self.rfile.read(int(self.headers["Content-Length"]))
        full = len(self.asked) < 3
        body = (
            b'{"type": "urn:full", "title": "Full", "detail": "Come again.", "place": 3}'
            if full
            else b'{"id": "3f"}'
        )
        self.send_response(503 if full else 201)
        self.send_header("Retry-After", "0")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_arguments: object) -> None:
        """Quiet."""


@pytest.fixture
def full_server() -> Iterator[str]:
    Full.asked.clear()
    listening = ThreadingHTTPServer(("127.0.0.1", 0), Full)
    thread = threading.Thread(target=listening.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{listening.server_port}"
    listening.shutdown()
    thread.join()
    listening.server_close()


def test_a_full_server_is_asked_again_with_the_same_key(full_server: str) -> None:
    with Stallscope(full_server, token="", patience_s=60) as server:
        assert server.create_investigation("x").link == f"{full_server}/i/3f"
    assert len(Full.asked) == 3
    assert len(set(Full.asked)) == 1


def test_without_patience_it_is_a_problem_with_all_its_fields(full_server: str) -> None:
    with Stallscope(full_server, token="", patience_s=-1) as server, pytest.raises(Problem) as full:
        server.create_investigation("x")
    problem = full.value
    assert (problem.status, problem.type, problem.detail) == (503, "urn:full", "Come again.")
    assert (problem.retry_after_s, problem.members) == (0, {"place": 3})
    assert str(problem) == f"{full_server} refused: Come again. (503)"
    assert len(Full.asked) == 1
