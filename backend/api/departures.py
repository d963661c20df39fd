"""A client that is gone in the middle of a request or an answer: no failure of ours, and nobody hears of it."""

from __future__ import annotations

from starlette.requests import ClientDisconnect


class StreamEnded(OSError):  # noqa: N818 - it says what happened
    """To whoever writes a stream that was ended here, as if the client had gone (ASGI 2.4)."""


def is_departure(error: BaseException | None) -> bool:
    """Whether that is the reason; what an answer was begun before is raised anew, with the reason as its cause."""
    while error is not None:
        if isinstance(error, ClientDisconnect | StreamEnded):
            return True
        error = error.__cause__
    return False
