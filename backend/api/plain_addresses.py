"""Refuses addresses with control characters before anything else reads them.

What one reader takes for the end of a line another takes for part of a name (`$` of a pattern, `.`, a log, a proxy),
so an address that holds one is never judged at all.
"""

from __future__ import annotations

import re
from urllib.parse import unquote, unquote_to_bytes

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from backend.api.problems import problem
from backend.api.web_page import not_found_page

CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""C0, DEL, C1 (ISO/IEC 6429), and the line and paragraph separators of Unicode."""
DECODINGS = 3
"""A proxy may decode what was encoded twice."""


class PlainAddresses:
    """ASGI middleware."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not is_plain(scope["path"], scope.get("raw_path") or b""):
            if _is_page(scope):
                await not_found_page()(scope, receive, send)
                return
            sentence = "An address holds no control characters, encoded or not."
            await problem(400, "The request is not understood", sentence, {"Connection": "close"})(
                scope, receive, send
            )
            return
        await self._app(scope, receive, send)


def _is_page(scope: Scope) -> bool:
    """Whether a browser opens an address that is none of the API's: it shows the page that says so, as for any other
    unknown one."""
    accept = Headers(scope=scope).get("accept", "")
    is_api = re.match("/(api|metrics|healthz|readyz)(/|$)", scope["path"])
    return scope["method"] in ("GET", "HEAD") and "text/html" in accept and is_api is None


def is_plain(path: str, raw_path: bytes) -> bool:
    """Whether neither the decoded path nor the one on the wire holds a control character, however often encoded."""
    # Bytes that are no UTF-8 are read as Latin-1 by some: 0x85 is a line end there.
    text = unquote_to_bytes(raw_path).decode("utf-8", "surrogateescape")
    if re.search("[\udc80-\udc9f]", text):
        return False
    return not (_holds_control(path) or _holds_control(text))


def _holds_control(text: str) -> bool:
    for _ in range(DECODINGS):
        if CONTROL.search(text):
            return True
        decoded = unquote(text)
        if decoded == text:
            return False
        text = decoded
    return CONTROL.search(text) is not None
