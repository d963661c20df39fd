"""JSON of an investigation travels compressed, unless a guess in the address could show in its length.

The length of a compressed answer shows whether two of its parts are alike. Where one is secret and the other was
chosen by whoever reads the wire, it can be guessed letter by letter (BREACH, https://www.breachattack.com). So nothing
about people, tokens, links or sign-in is compressed, and no answer to a free text.
"""

from __future__ import annotations

import re
from urllib.parse import parse_qsl

from starlette.datastructures import Headers
from starlette.middleware.gzip import DEFAULT_EXCLUDED_CONTENT_TYPES, GZipResponder
from starlette.types import ASGIApp, Receive, Scope, Send

COMPRESSED = re.compile(
    r"/api/v1/(investigations|causes|detectors|demo|comparisons|(investigations|shared)/[^/]+"
    r"(/(investigation|progress|report|files|timeline|connections|rtt|requests|dumps|packets|frames)(/.*)?)?)"
)
"""Reads of evidence and of what was found in it."""
PLAIN_PARAMETERS = frozenset(
    {
        "anew",
        "from",
        "to",
        "px",
        "finding",
        "group",
        "lanes",
        "gaps",
        "fold",
        "part",
        "offset",
        "limit",
        "cursor",
    }
    | {"sort", "order", "instance"}
)
"""Numbers and fixed words; every other parameter may hold a guess."""
LEAST_BYTES = 1000
LEVEL = 5
NEVER = (
    *DEFAULT_EXCLUDED_CONTENT_TYPES,
    "application/octet-stream",
    "application/vnd.tcpdump.pcap",
    "application/x-pcapng",
)


class CompressedAnswers:
    """ASGI middleware."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self._app
        if scope["type"] == "http" and may_compress(scope):
            app = GZipResponder(app, LEAST_BYTES, LEVEL, exclude_content_types=NEVER)
        await app(scope, receive, send)


def may_compress(scope: Scope) -> bool:
    """Whether the answer is one of those, and whoever asks reads gzip (RFC 9110, section 12.5.3)."""
    if scope["method"] != "GET" or not COMPRESSED.fullmatch(scope["path"]):
        return False
    given = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
    return accepts_gzip(Headers(scope=scope)) and all(name in PLAIN_PARAMETERS for name, _ in given)


def accepts_gzip(headers: Headers) -> bool:
    """``gzip`` among the codings that are taken, and not with the weight 0."""
    codings = (part.strip().lower() for part in headers.get("accept-encoding", "").split(","))
    return any(re.fullmatch(r"gzip(\s*;\s*q=(1(\.0*)?|0\.0*[1-9]\d*))?", coding) for coding in codings)
