"""The cookie that keeps a share link open in a browser, and the header that programs send instead."""

from __future__ import annotations

from fastapi import Request

from backend.api.auth_middleware import origin
from backend.services.share_sessions import is_over, is_session

SHARE_COOKIE = "stallscope_share"
SHARE_HEADER = "x-stallscope-share"


def share_token(request: Request) -> str:
    """What the request shows for a link; empty for nothing. A cookie, which is renewed, outlives the header."""
    shown = request.headers.get(SHARE_HEADER, "")
    kept = share_cookie_of(request)
    return kept if kept and (not shown or (is_session(shown) and is_over(shown))) else shown


def share_cookie_of(request: Request) -> str:
    """The session in the cookie; never a secret, which has no end of its own."""
    kept = request.cookies.get(_name(request), "")
    return kept if is_session(kept) else ""


def share_cookie(request: Request, share_id: str, token: str) -> str:
    """For this link alone; gone with the browser, and without use after an hour."""
    secure = "; Secure" if _is_https(request) else ""
    return f"{_name(request)}={token}; Path=/api/v1/shared/{share_id}; HttpOnly; SameSite=Strict{secure}"


def _name(request: Request) -> str:
    """With https the name itself asks browsers for Secure (RFC 6265bis, __Secure-; its path keeps __Host- away)."""
    return f"__Secure-{SHARE_COOKIE}" if _is_https(request) else SHARE_COOKIE


def _is_https(request: Request) -> bool:
    return origin(request).startswith("https:")
