"""Lets what makes room work on a full disk: who deletes, signs in to delete, or cancels gets the spare room."""

from __future__ import annotations

from anyio import to_thread
from starlette.types import ASGIApp, Receive, Scope, Send

from backend.storage.store import Store

_POSTS = ("/sign-in", "/cancel")


class RoomToDelete:
    """ASGI middleware behind the one that asks who calls: a stranger does not get at the spare room."""

    def __init__(self, app: ASGIApp, store: Store) -> None:
        self._app = app
        self._store = store

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not _makes_room(scope):
            await self._app(scope, receive, send)
            return
        spare = self._store.spare.given_up()
        await to_thread.run_sync(spare.__enter__)
        try:
            await self._app(scope, receive, send)
        finally:
            await to_thread.run_sync(spare.__exit__, None, None, None)


def _makes_room(scope: Scope) -> bool:
    if scope["type"] != "http":
        return False
    method: str = scope["method"]
    return method == "DELETE" or (method == "POST" and scope["path"].endswith(_POSTS))
