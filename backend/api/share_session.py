"""The cookie that keeps a share link open in a browser, and the header that programs send instead."""

from __future__ import annotations

from fastapi import Request

SHARE_COOKIE = "stallscope_share"
SHARE_HEADER = "x-stallscope-share"


def share_token(request: Request) -> str:
    """What the request shows for a link; empty for nothing."""
    return request.headers.get(SHARE_HEADER) or request.cookies.get(SHARE_COOKIE) or ""
