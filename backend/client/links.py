"""Links to investigations: of a server's page or API, and share links with their secret behind the #."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

from backend.client.investigation import Investigation
from backend.client.server import PATIENCE_S, TIMEOUT_S, token_headers
from backend.client.transport import Body, Transport

_PLACES = re.compile(
    r"^/(?:(?P<page>i)|(?P<share>s)|api/v1/(?:(?P<api>investigations)|(?P<shared>shared)))/(?P<id>[0-9a-f]{1,32})(?:/|$)"
)


@dataclass(frozen=True)
class Link:
    """Where an investigation is."""

    server: str
    """``http://127.0.0.1:8000``"""
    path: str
    """Where its parts are read: ``/api/v1/investigations/3f2a``."""
    secret: str | None
    """Of a share link."""

    @property
    def investigation_id(self) -> str | None:
        """None for a share link, which does not show it."""
        return self.path.rpartition("/")[2] if "/investigations/" in self.path else None


def is_link(text: str) -> bool:
    """Whether this is an address of a server, not a path."""
    return text.startswith(("http://", "https://"))


def without_secret(link: str) -> str:
    """The link as it may be shown."""
    return link.partition("#")[0]


def read_link(text: str) -> Link:
    """Raises ValueError for an address that is no investigation's."""
    parts = urlsplit(text)
    found = _PLACES.match(parts.path)
    if not parts.hostname or found is None:
        raise ValueError(
            f"{without_secret(text)} is no link to an investigation; one looks like "
            "http://127.0.0.1:8000/i/3f2a… or http://127.0.0.1:8000/s/3f2a…#k=…"
        )
    shared = bool(found["share"] or found["shared"])
    secret = next(iter(parse_qs(parts.fragment).get("k", [])), None)
    if shared and secret is None:
        raise ValueError(
            f"{without_secret(text)} is a share link without its secret part (#k=…); put the link in quotes."
        )
    kind = "shared" if shared else "investigations"
    return Link(
        f"{parts.scheme}://{parts.netloc}", f"/api/v1/{kind}/{found['id']}", secret if shared else None
    )


def open_link(
    text: str, *, token: str | None = None, password: str | None = None, timeout_s: float = TIMEOUT_S
) -> Investigation:
    """The investigation behind a link; a share link needs no token, and its password where it has one.

    A context manager. Raises ValueError for an address that is none, Problem when a password is refused."""
    link = read_link(text)
    headers = {"X-Stallscope-Share": link.secret} if link.secret else token_headers(token)
    transport = Transport(link.server, headers, timeout_s=timeout_s, patience_s=PATIENCE_S)
    if not link.secret or password is None:
        return Investigation(transport, link.path, link.investigation_id)
    content = json.dumps({"secret": link.secret, "password": password}).encode()
    with Investigation(transport, link.path, None):
        body = Body(lambda: iter((content,)), len(content), "application/json")
        session = transport.ask("POST", f"{link.path}/session", body=body).json()
    headers = {"X-Stallscope-Share": str(session["token"])}
    return Investigation(
        Transport(link.server, headers, timeout_s=timeout_s, patience_s=PATIENCE_S), link.path, None
    )
