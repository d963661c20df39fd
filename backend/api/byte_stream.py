"""The body of a request in pieces of a size worth writing."""

from __future__ import annotations

from collections.abc import AsyncIterator

from fastapi import Request

PIECE_BYTES = 1 << 20


async def pieces_of(request: Request) -> AsyncIterator[bytes]:
    """Pieces of about 1 MiB; a cut connection gives out what has come, then raises ClientDisconnect."""
    gathered = bytearray()
    try:
        async for chunk in request.stream():
            gathered += chunk
            if len(gathered) >= PIECE_BYTES:
                yield bytes(gathered)
                gathered.clear()
    except Exception:
        if gathered:
            yield bytes(gathered)
        raise
    if gathered:
        yield bytes(gathered)
