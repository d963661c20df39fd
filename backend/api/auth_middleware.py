"""Decides, before anything of a request's body is read, who asks and whether they may (`backend.access.rules`)."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from functools import partial

from anyio import to_thread
from fastapi import Request
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from backend.access.browser_sign_ins import LASTS, recognise_browser
from backend.access.callers import LOCAL, NOBODY, Caller
from backend.access.ownership import check_rights
from backend.access.public_addresses import needs_sign_in
from backend.access.rate_limit import RateLimiter
from backend.access.rights import Need
from backend.access.rules import PAGE_RULES, Rule, names_something, rule_for
from backend.access.still_admitted import is_still_admitted
from backend.access.tokens import recognise_token
from backend.api.departures import is_departure
from backend.api.found_route import RouteFinder, put_found
from backend.api.host_origin_guard import SAFE_METHODS
from backend.api.problems import NOTHING_HERE, problem_of
from backend.api.watched_stream import WatchedStream
from backend.errors import NotFound, StallscopeError, TooLarge
from backend.storage.acting import acting
from backend.storage.store import Store

STRANGERS_BODY_BYTES = 16 << 10
"""A name with a password, or the secret of a link."""


class AuthMiddleware:
    """ASGI middleware inside the host and origin guard; leaves the route that it judged and the caller in the
    request's state."""

    def __init__(self, app: ASGIApp, store: Store, limiter: RateLimiter, routes: RouteFinder) -> None:
        self._app = app
        self._store = store
        self._routes = routes
        self._limiter = limiter
        self._signs_in = needs_sign_in(store.settings)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        scope = self._as_read(scope)
        request = Request(scope)
        try:
            caller, rule = await self._admit(request)
        except StallscopeError as error:
            answer = problem_of(error)
            # The body of the request is not read.
            answer.headers["Connection"] = "close"
            await answer(scope, receive, send)
            return
        request.state.caller = caller

        async def send_with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start" and caller.next_secret:
                headers = MutableHeaders(scope=message)
                # A sign-out has the last word.
                if not any(set_.startswith(cookie_name(request)) for set_ in headers.getlist("set-cookie")):
                    headers.append("set-cookie", session_cookie(request, caller.next_secret))
            await send(message)

        respond = partial(self._app, scope, receive)
        with acting(caller.actor(client_address(request))):
            try:
                await self._answer(respond, send_with_cookie, caller, rule)
            except Exception as error:
                if not is_departure(error):
                    raise

    async def _answer(
        self, respond: Callable[[Send], Awaitable[None]], send: Send, caller: Caller, rule: Rule | None
    ) -> None:
        if rule is None or caller is LOCAL:
            await respond(send)
        else:
            is_admitted = partial(is_still_admitted, self._store, caller, rule)
            await WatchedStream(send, is_admitted).run(respond)

    def _as_read(self, scope: Scope) -> Scope:
        """HEAD of a page is answered as GET is (RFC 9110, section 9.3.2); the server leaves the body out."""
        if scope["method"] != "HEAD":
            return scope
        read = {**scope, "method": "GET"}
        found = self._routes.find(read)
        return read if found and found.name in PAGE_RULES else scope

    async def _admit(self, request: Request) -> tuple[Caller, Rule | None]:
        found = self._routes.find(request.scope)
        rule = rule_for(found.name, found.parameters) if found else None
        caller = await self._caller(request, rule)
        if found is None or rule is None:
            # What nobody has decided is not there; a stranger does not even learn that.
            if caller is NOBODY:
                check_rights(self._store, caller, Rule(Need.READ))
            if found is not None:
                raise NotFound(NOTHING_HERE)
            return caller, None  # the router says which methods there are
        if found.template.startswith("/api/") and not names_something(found.parameters):
            check_rights(self._store, caller, Rule(rule.need))
            raise NotFound(NOTHING_HERE)
        if caller is not LOCAL:
            await to_thread.run_sync(check_rights, self._store, caller, rule, client_address(request))
        put_found(request.scope, found)
        return caller, rule

    async def _caller(self, request: Request, rule: Rule | None) -> Caller:
        bearer = _bearer(request)
        if not self._signs_in and bearer is None:
            return LOCAL
        if rule is not None and rule.need is Need.OPEN and bearer is None:
            _check_size(request)
        return await to_thread.run_sync(self._recognise, request, bearer)

    def _recognise(self, request: Request, bearer: str | None) -> Caller:
        if bearer is not None:
            return recognise_token(self._store, self._limiter, client_address(request), bearer)
        secret = request.cookies.get(cookie_name(request), "")
        return recognise_browser(self._store, secret) if secret else NOBODY


def _bearer(request: Request) -> str | None:
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else None


def _check_size(request: Request) -> None:
    if request.method in SAFE_METHODS:
        return
    length = request.headers.get("content-length", "0")
    if (
        "transfer-encoding" in request.headers
        or not re.fullmatch("[0-9]{1,18}", length)
        or int(length) > STRANGERS_BODY_BYTES
    ):
        raise TooLarge(f"Nobody has to send more than {STRANGERS_BODY_BYTES >> 10} KiB here.")


def client_address(request: Request) -> str:
    """Where the request comes from; a trusted proxy has reported it by now."""
    return request.client.host if request.client else ""


def origin(request: Request) -> str:
    """By which address the browser reached the server; the host and origin guard has checked it."""
    found: str | None = getattr(request.state, "origin", None)
    return found or f"http://{request.headers.get('host', '')}"


def cookie_name(request: Request) -> str:
    """With https the name itself binds the cookie to this host (RFC 6265bis, __Host-)."""
    return "__Host-stallscope" if origin(request).startswith("https:") else "stallscope"


def session_cookie(request: Request, secret: str) -> str:
    """The cookie that holds a sign-in; an empty secret removes it."""
    lasts_s = int(LASTS.total_seconds()) if secret else 0
    secure = "; Secure" if cookie_name(request).startswith("__Host-") else ""
    return f"{cookie_name(request)}={secret}; Path=/; Max-Age={lasts_s}; HttpOnly; SameSite=Strict{secure}"
