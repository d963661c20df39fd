"""Lets every answer behind a share link pass the rules of that link; what is no JSON of a known address ends here."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import anyio.to_thread
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from backend.api.dependencies import SHARE_COOKIE
from backend.api.problems import problem_of
from backend.errors import Refused, StallscopeError
from backend.services.freeze_investigation import store_shown
from backend.services.open_share import shared_view
from backend.services.redaction.shared_view import SharedView
from backend.services.share_investigation import open_share
from backend.storage.store import Store


class SharedAnswers:
    """ASGI middleware."""

    def __init__(self, app: ASGIApp, store: Store, api: str) -> None:
        self._app = app
        self._store = store
        self._place = re.compile(re.escape(f"{api}/shared/") + r"([0-9a-f]{1,32})/(.+)")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = self._place.fullmatch(scope["path"]) if scope["type"] == "http" else None
        if found is None or found[2] == "session":
            await self._app(scope, receive, send)
            return
        try:
            view = await anyio.to_thread.run_sync(self._view, found[1], Request(scope))
            if view is None:
                await self._app(scope, receive, send)
                return
            given = scope["query_string"].decode("latin-1")
            place, query = view.ask(found[2], given)
            asked = {**scope, **_address(scope["path"].removesuffix(found[2]) + place, query)}
            answer = _Answer()
            await self._app(asked, receive, answer.take)
            await anyio.to_thread.run_sync(
                answer.rewrite, lambda body, kind: view.answer(place, given, body, kind)
            )
        except StallscopeError as error:
            await problem_of(error)(scope, receive, send)
            return
        await answer.give(send)

    def _view(self, share_id: str, request: Request) -> SharedView | None:
        token = request.headers.get("x-stallscope-share") or request.cookies.get(SHARE_COOKIE)
        if not token:
            return None  # the address itself says what is missing
        try:
            share = open_share(self._store, share_id, token)
        except Refused:
            return None  # so does it here, and counts a guess
        return shared_view(store_shown(self._store, share), share)


def _address(path: str, query: str) -> dict[str, Any]:
    return {"path": path, "raw_path": quote(path).encode(), "query_string": query.encode()}


class _Answer:
    """An answer that is held back until it was looked at."""

    def __init__(self) -> None:
        self._start: Message = {}
        self._body = b""

    async def take(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._start = message
        elif message["type"] == "http.response.body":
            self._body += message.get("body", b"")

    def rewrite(self, rules: Callable[[bytes, str], tuple[bytes, str]]) -> None:
        """By the link's rules; raises StallscopeError for what they do not let out."""
        kind = Headers(raw=self._start["headers"]).get("content-type", "").partition(";")[0]
        self._body, kind = rules(self._body, kind)
        headers = MutableHeaders(scope=self._start)
        headers["content-type"] = kind
        headers["content-length"] = str(len(self._body))
        if "etag" in headers:
            del headers["etag"]

    async def give(self, send: Send) -> None:
        """What is left of it."""
        await send(self._start)
        await send({"type": "http.response.body", "body": self._body})
