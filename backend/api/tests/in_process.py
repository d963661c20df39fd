"""Asks an application in this process, with addresses exactly as they are written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any
from urllib.parse import unquote

from starlette.types import ASGIApp, Message

from backend.api.tests.guarded_server import HOST

_CLIENTS = (f"198.18.{number >> 8 & 255}.{number & 255}" for number in count())
"""Each request comes from another address, or wrong guesses would soon be refused unheard."""


@dataclass
class Reply:
    """What came back."""

    status: int = 0
    kind: str = ""
    body: bytes = b""
    headers: list[tuple[str, str]] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The body."""
        return self.body.decode("utf-8", "replace")


async def ask(
    app: ASGIApp,
    method: str,
    target: str,
    headers: Mapping[str, str],
    body: bytes = b"",
    *,
    cut: bool = False,
) -> Reply:
    """The target goes on the wire as it is, and is decoded as the server decodes it (uvicorn: once, as UTF-8). With
    `cut` the client is gone after the body that it sends."""
    path, _, query = target.partition("?")
    sent = {"host": HOST, "content-length": str(len(body)), **headers}
    if body:
        sent["content-type"] = "application/json"
    scope: dict[str, Any] = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": unquote(path),
        "raw_path": path.encode("ascii"),
        "query_string": query.encode("ascii"),
        "root_path": "",
        "headers": [(name.lower().encode(), value.encode()) for name, value in sent.items()],
        "client": (next(_CLIENTS), 4000),
        "server": ("127.0.0.1", 8000),
        "state": {},
    }
    found = Reply()

    messages = iter([{"type": "http.request", "body": body, "more_body": cut}])

    async def receive() -> Message:
        return next(messages, {"type": "http.disconnect"})

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            found.status = message["status"]
            found.headers = sorted(
                (name.decode("latin-1"), value.decode("latin-1")) for name, value in message["headers"]
            )
            found.kind = dict(found.headers).get("content-type", "")
        else:
            found.body += message.get("body", b"")

    await app(scope, receive, send)
    return found
