"""Lets every answer behind a share link pass the rules of that link; what passed none of them ends here."""

from __future__ import annotations

from urllib.parse import quote

import anyio.to_thread
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from backend.access.rate_limit import RateLimiter
from backend.api.auth_middleware import client_address
from backend.api.found_route import FoundRoute, RouteFinder, found_route, put_found
from backend.api.link_answer import is_shown
from backend.api.opened_link import OpenedLink, put_verdict
from backend.api.problems import MEDIA_TYPE as PROBLEM
from backend.api.problems import problem_of
from backend.api.share_session import share_cookie, share_cookie_of, share_token
from backend.errors import NotFound, Refused, StallscopeError
from backend.services.freeze_investigation import store_shown
from backend.services.open_share import shared_view
from backend.services.redaction.declared import declared_by
from backend.services.redaction.link_scope import link_scope
from backend.services.redaction.place import Place
from backend.services.redaction.shared_view import SharedView, report_form
from backend.services.scope import NOT_SHARED
from backend.services.share_investigation import open_share
from backend.services.share_sessions import is_to_be_renewed, new_session
from backend.storage.store import Store

SESSION = "session"
"""The route below a link that opens it."""


class SharedAnswers:
    """ASGI middleware behind the auth middleware; puts its verdict on a link into the request's state."""

    def __init__(
        self, app: ASGIApp, store: Store, limiter: RateLimiter, routes: RouteFinder, prefix: str
    ) -> None:
        """`prefix` is what the templates of all routes below a link begin with."""
        self._app = app
        self._store = store
        self._limiter = limiter
        self._routes = routes
        self._prefix = prefix

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = found_route(scope)
        place = self._place(found)
        if found is None or place is None or place.route == SESSION:
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        try:
            link = await anyio.to_thread.run_sync(self._open, request)
            put_verdict(scope, link)
            send = self._renewing(request, link, send)
            opened = place.declared.shareable
            if link.view is None or (opened is not None and opened.drawn):
                await self._app(scope, receive, send)
                return
            answer = await self._shown(link.view, place, scope, receive)
        except StallscopeError as error:
            await problem_of(error)(scope, receive, send)
            return
        await answer.give(send)

    async def _shown(self, view: SharedView, place: Place, scope: Scope, receive: Receive) -> _Answer:
        given = scope["query_string"].decode("latin-1")
        asked, query = await anyio.to_thread.run_sync(view.ask, place, given)
        answer, asking = _Answer(), self._asking(scope, asked, query)
        await self._app(asking, receive, answer.take)
        if answer.status == 404 and place.parameters:
            # No such thing, in the words for what is left out: nobody learns which of the two it is.
            raise NotFound(NOT_SHARED)
        if answer.kind == PROBLEM:
            answer.rewrite(view.problem(answer.body), PROBLEM)
        elif not is_shown(asking):
            raise NotFound(NOT_SHARED)
        elif asked.route == "report":
            text = await anyio.to_thread.run_sync(report_form, answer.body, given)
            answer.rewrite(*(text or (answer.body, answer.kind)))
        return answer

    def _place(self, found: FoundRoute | None) -> Place | None:
        """What is asked for below a link; None for any other route."""
        if found is None or not found.template.startswith(self._prefix):
            return None
        parameters = {name: value for name, value in found.parameters.items() if name != "share_id"}
        return Place(found.template.removeprefix(self._prefix), parameters, declared_by(found.endpoint))

    def _open(self, request: Request) -> OpenedLink:
        share_id = request.scope["state"]["found"].parameters["share_id"]
        token = share_token(request)
        if not token:
            raise Refused("Open the link with its secret part first.")
        with self._limiter.attempt("share", client_address(request), share_id):
            share = open_share(self._store, share_id, token)
        shown = store_shown(self._store, share)
        scope = link_scope(shown, share)
        return OpenedLink(share, shown, scope, shared_view(shown, share, scope))

    def _renewing(self, request: Request, link: OpenedLink, send: Send) -> Send:
        """What is in use goes on; the link's own end ends it all the same."""
        kept = share_cookie_of(request)
        if not kept or share_token(request) != kept or not is_to_be_renewed(kept):
            return send
        cookie = share_cookie(request, link.share.id, new_session(self._store, link.share))

        async def send_with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).append("set-cookie", cookie)
            await send(message)

        return send_with_cookie

    def _asking(self, scope: Scope, place: Place, query: str) -> Scope:
        """The request in the words of the data; it must lead where the rules were asked about, and nowhere else."""
        found = found_route(scope)
        assert found is not None
        path = self._prefix.format_map(found.parameters) + place.address
        asked = {
            **scope,
            "state": dict(scope["state"]),
            "path": path,
            "raw_path": quote(path).encode(),
            "query_string": query.encode(),
        }
        leads_to = self._routes.find(asked)
        if leads_to is None or self._place(leads_to) != place:
            raise NotFound(NOT_SHARED)
        put_found(asked, leads_to)
        return asked


class _Answer:
    """An answer that is held back until it was looked at."""

    def __init__(self) -> None:
        self._start: Message = {}
        self.body = b""

    async def take(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._start = message
        elif message["type"] == "http.response.body":
            self.body += message.get("body", b"")

    @property
    def status(self) -> int:
        """Of HTTP."""
        return int(self._start["status"])

    @property
    def kind(self) -> str:
        """Media type."""
        return Headers(raw=self._start["headers"]).get("content-type", "").partition(";")[0]

    def rewrite(self, body: bytes, kind: str) -> None:
        """Another body instead."""
        self.body = body
        headers = MutableHeaders(scope=self._start)
        headers["content-type"] = kind
        headers["content-length"] = str(len(body))

    async def give(self, send: Send) -> None:
        """What is left of it."""
        await send(self._start)
        await send({"type": "http.response.body", "body": self.body})
