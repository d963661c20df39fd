"""Lets an endpoint ask other endpoints of the same investigation or link, as its own caller would be answered.

What is behind a share link passes the link's rules on its way (`backend.api.shared_answers`), so an endpoint that is
made of such answers alone can show nothing that the link's viewer could not have read.
"""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import unquote, urlencode

from fastapi import Request
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from backend.access.rules import rule_for
from backend.api.found_route import FoundRoute, RouteFinder, found_route, put_found
from backend.errors import NotFound

NOT_PASSED = frozenset({b"accept-encoding", b"if-none-match", b"if-modified-since", b"range"})
_OWN, _SHARED = "investigation_id", "share_id"


class InnerProblem(Exception):  # noqa: N818 - it is another endpoint's answer
    """An inner answer that is no success; it is the outer one as well."""

    def __init__(self, response: Response) -> None:
        super().__init__(response.status_code)
        self.response = response


class InnerAnswers:
    """ASGI middleware inside the auth middleware and around that of share links."""

    def __init__(self, app: ASGIApp, routes: RouteFinder) -> None:
        self._app = app
        self._routes = routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            judged = dict(scope.get("state", {}))
            scope.setdefault("state", {})["inner"] = Inner(
                self._app, self._routes, {**scope, "state": judged}
            )
        await self._app(scope, receive, send)


class Inner:
    """Asks for the caller of one request."""

    def __init__(self, app: ASGIApp, routes: RouteFinder, scope: Scope) -> None:
        self._app = app
        self._routes = routes
        self._scope = scope

    async def json(self, path: str, query: dict[str, Any]) -> Any:
        """The answer at ``timeline`` beside the endpoint; raises InnerProblem."""
        outer = found_route(self._scope)
        assert outer is not None
        raw = f"{_root(outer)}/{path}"
        text = urlencode({key: value for key, value in query.items() if value is not None}, doseq=True)
        scope = {
            **self._scope,
            "method": "GET",
            "path": unquote(raw),
            "raw_path": raw.encode(),
            "query_string": text.encode(),
            "headers": [each for each in self._scope["headers"] if each[0] not in NOT_PASSED],
            "state": dict(self._scope["state"]),
        }
        put_found(scope, self._permitted(outer, self._routes.find(scope)))
        taken = _Taken()
        await self._app(scope, _nothing, taken.take)
        if taken.status != 200:
            raise InnerProblem(taken.response())
        return json.loads(taken.body)

    def _permitted(self, outer: FoundRoute, found: FoundRoute | None) -> FoundRoute:
        """Only what asks no more of its caller than the endpoint that was judged, of the same thing."""
        if found is None:
            raise NotFound("There is nothing at this address.")
        was, asks = (rule_for(each.name, each.parameters) for each in (outer, found))
        same = all(outer.parameters.get(key) == found.parameters.get(key) for key in (_OWN, _SHARED))
        if was is None or asks is None or asks.need is not was.need or asks.act is not None or not same:
            raise NotFound("There is nothing at this address.")
        return found


def _root(outer: FoundRoute) -> str:
    """``/api/v1/investigations/1f``: up to the id that the address names."""
    begin, _, _ = outer.template.partition("}")
    return (begin + "}").format_map(outer.parameters)


async def _nothing() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


class _Taken:
    """An answer that goes to the endpoint instead of the caller."""

    def __init__(self) -> None:
        self.status = 500
        self.body = b""
        self._headers = Headers()

    async def take(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = int(message["status"])
            self._headers = Headers(raw=message["headers"])
        elif message["type"] == "http.response.body":
            self.body += message.get("body", b"")

    def response(self) -> Response:
        """The same for the caller."""
        kept = {
            key: self._headers[key] for key in ("retry-after", "www-authenticate") if key in self._headers
        }
        return Response(self.body, self.status, kept, self._headers.get("content-type"))


def inner_answers(request: Request) -> Inner:
    """A dependency."""
    inner: Inner = request.state.inner
    return inner
