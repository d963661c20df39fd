"""Which lines of code an error came through, without what it says: messages of errors quote the input."""

from __future__ import annotations


def where_it_failed(error: BaseException) -> str:
    """The kind of the error, and the places of it and of those it followed, the innermost last."""
    import traceback

    frames: list[str] = []
    while True:
        frames.append("".join(traceback.format_tb(error.__traceback__)) + type(error).__name__)
        before = error.__cause__ or error.__context__
        if before is None:
            return "\nled to\n".join(reversed(frames))
        error = before
