"""Links to investigations of a server, and asking that server over HTTP.

Secrets go in headers, never in an address; redirects are not followed, as they would carry the secret elsewhere."""

from __future__ import annotations

import json
import os
import re
import urllib.error
import urllib.request
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

from workers.cli.usage import WrongUsage

TIMEOUT_S = 60.0
ANSWER_LIMIT_BYTES = 256 << 20
_PLACES = re.compile(
    r"^/(?:(?P<page>i)|(?P<share>s)|api/v1/(?:(?P<api>investigations)|(?P<shared>shared)))/(?P<id>[0-9a-f]{1,32})(?:/|$)"
)
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class ServerTrouble(Exception):  # noqa: N818 - it says what happened
    """The server is not reachable or refused; the sentence is for the user."""

    def __init__(self, sentence: str, *, status: int | None = None, detail: str = "") -> None:
        super().__init__(f"{sentence}: {detail}" if detail else sentence)
        self.status = status
        """HTTP status of a refusal."""
        self.detail = detail


@dataclass(frozen=True)
class Link:
    """An investigation of a server."""

    server: str
    """``http://127.0.0.1:8000``"""
    path: str
    """Where its parts are read: ``/api/v1/investigations/3f2a``."""
    secret: str | None
    """Of a share link."""

    @property
    def investigation_id(self) -> str | None:
        """None for a share link, which does not tell it."""
        return self.path.rpartition("/")[2] if "/investigations/" in self.path else None


def is_link(text: str) -> bool:
    """Whether this is an address of a server, not a path."""
    return text.startswith(("http://", "https://"))


def without_secret(link: str) -> str:
    """The link as it may be shown."""
    return link.partition("#")[0]


def read_link(text: str) -> Link:
    """Raises WrongUsage for an address that is no investigation's."""
    parts = urlsplit(text)
    found = _PLACES.match(parts.path)
    if not parts.hostname or found is None:
        raise WrongUsage(
            f"{without_secret(text)} is no link to an investigation; one looks like "
            "http://127.0.0.1:8000/i/3f2a… or http://127.0.0.1:8000/s/3f2a…#k=…"
        )
    shared = bool(found["share"] or found["shared"])
    secret = next(iter(parse_qs(parts.fragment).get("k", [])), None)
    if shared and secret is None:
        raise WrongUsage(
            f"{without_secret(text)} is a share link without its secret part (#k=…); put the link in quotes."
        )
    kind = "shared" if shared else "investigations"
    return Link(
        f"{parts.scheme}://{parts.netloc}", f"/api/v1/{kind}/{found['id']}", secret if shared else None
    )


def fetch_report(text: str) -> bytes:
    """The JSON report of the investigation behind a link; raises WrongUsage or ServerTrouble."""
    link = read_link(text)
    headers = {"X-Stallscope-Share": link.secret} if link.secret else token_headers()
    return ask(link.server, f"{link.path}/report", headers=headers)


def token_headers() -> dict[str, str]:
    """What shows that one may, if anything is set."""
    token = os.environ.get("STALLSCOPE_TOKEN", "")
    return {"Authorization": f"Bearer {token}"} if token else {}


def ask(
    server: str, path: str, *, method: str = "GET", headers: dict[str, str], body: bytes | None = None
) -> bytes:
    """The answer's body; ServerTrouble with the server's own sentence when it refuses."""
    return open_answer(
        server, urllib.request.Request(server + path, data=body, headers=headers, method=method)
    )


def open_answer(server: str, request: urllib.request.Request) -> bytes:
    """The same for a request that is made already, with a file as its body, say."""
    handlers: list[urllib.request.BaseHandler] = [_NoRedirect()]
    if urlsplit(server).hostname in _LOOPBACK:
        handlers.append(urllib.request.ProxyHandler({}))
    try:
        with urllib.request.build_opener(*handlers).open(request, timeout=TIMEOUT_S) as answer:
            content: bytes = answer.read(ANSWER_LIMIT_BYTES + 1)
    except urllib.error.HTTPError as error:
        raise ServerTrouble(f"{server} refused", status=error.code, detail=_detail(error)) from None
    except (urllib.error.URLError, OSError, ValueError) as error:
        reason = getattr(error, "reason", error)
        raise ServerTrouble(f"{server} cannot be reached", detail=f"{reason}.") from None
    if len(content) > ANSWER_LIMIT_BYTES:
        raise ServerTrouble(f"{server} answered with more than {ANSWER_LIMIT_BYTES >> 20} MiB.")
    return content


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_args: object, **_named: object) -> None:
        """None makes the redirect an error."""


def _detail(error: urllib.error.HTTPError) -> str:
    try:
        problem = json.loads(error.read(65_536))
        return f"{problem['detail']} ({error.code})"
    except (ValueError, KeyError, TypeError, OSError):
        return f"{error.reason} ({error.code})."
