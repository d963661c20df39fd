"""The guard in front of everything: which Host, which Origin, and the headers every answer carries.

A page of another site can make a browser send requests to loopback, and can point a name of its own at
127.0.0.1 (DNS rebinding). The Host check stops the second, the Origin check the first. A server that listens
for others answers to its public names as well, and to addresses in figures, which nobody can point elsewhere.
"""

from __future__ import annotations

import ipaddress
import json
import re
from collections.abc import MutableMapping
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from backend.access.public_addresses import PublicAddress

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip")
"""What a proxy says of the client that it speaks for."""
SAME_SITE = frozenset({"same-origin", "none"})
API_POLICY = "default-src 'none'; frame-ancestors 'none'"

HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


class HostOriginGuard:
    """ASGI middleware; it streams, so an event stream passes through untouched."""

    def __init__(
        self, app: ASGIApp, port: int, public: tuple[PublicAddress, ...] = (), *, any_figures: bool = False
    ) -> None:
        self._app = app
        self._port = port
        self._any_figures = any_figures
        names = ("localhost", "127.0.0.1", "[::1]")
        own = {f"{name}:{port}" for name in names} | (set(names) if port == 80 else set())
        self._others_reach = any_figures or bool(public)
        self._schemes = dict.fromkeys(own, "http") | {address.host: address.scheme for address in public}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is not None:
            await _answer(send, *refusal)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                _add_headers(message)
            await send(message)

        await self._app(scope, receive, send_guarded)

    def _refusal(self, scope: Scope) -> tuple[int, str, str] | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "").lower()
        scheme = self._scheme_of(host)
        if scheme is None:
            return (
                421,
                "Wrong host name",
                "This server answers on localhost, 127.0.0.1 and [::1] with its own port, and on what "
                "STALLSCOPE_PUBLIC_URL names.",
            )
        if not self._others_reach and any(name in headers for name in FORWARDED):
            return (
                403,
                "A proxy is in front",
                "Others would reach this server without signing in. Name the proxy's address in "
                "STALLSCOPE_PUBLIC_URL and configure sign-in.",
            )
        scope.setdefault("state", {})["origin"] = f"{scheme}://{host}"
        if scope["method"] in SAFE_METHODS:
            return None
        origin = headers.get("origin")
        site = headers.get("sec-fetch-site")
        if (origin is not None and origin.lower() != f"{scheme}://{host}") or (
            site is not None and site.lower() not in SAME_SITE
        ):
            return 403, "Another site asked", "Only Stallscope's own page may change anything here."
        return None

    def _scheme_of(self, host: str) -> str | None:
        if host in self._schemes or not self._any_figures:
            return self._schemes.get(host)
        name, _, port = host.rpartition(":") if re.search(r":\d+$", host) else (host, "", "80")
        try:
            ipaddress.ip_address(name.removeprefix("[").removesuffix("]"))
        except ValueError:
            return None
        return "http" if port == str(self._port) else None


def _add_headers(message: MutableMapping[str, Any]) -> None:
    headers = MutableHeaders(scope=message)
    for name, value in HEADERS.items():
        headers.setdefault(name, value)
    headers.setdefault("Content-Security-Policy", API_POLICY)
    # Only what says so itself is kept anywhere: files of the page.
    headers.setdefault("Cache-Control", "no-store")


async def _answer(send: Send, status: int, title: str, detail: str) -> None:
    body = json.dumps({"type": "about:blank", "title": title, "status": status, "detail": detail}).encode()
    message: Message = {
        "type": "http.response.start",
        "status": status,
        "headers": [
            (b"content-type", b"application/problem+json"),
            (b"content-length", str(len(body)).encode()),
            # The body of the request is not read.
            (b"connection", b"close"),
        ],
    }
    _add_headers(message)
    await send(message)
    await send({"type": "http.response.body", "body": body})
