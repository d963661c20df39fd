"""Lets what makes room work on a full disk: who deletes, signs in to delete, or cancels gets the spare room."""

from __future__ import annotations

from typing import Final

from anyio import to_thread
from starlette.types import ASGIApp, Receive, Scope, Send

from backend.api.found_route import found_route
from backend.storage.store import Store

_OTHERS: Final = frozenset({"POST /api/v1/sign-in", "POST /api/v1/investigations/{investigation_id}/cancel"})
"""Routes that make room, or lead to it, besides those that delete."""


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
    found = found_route(scope) if scope["type"] == "http" else None
    return found is not None and makes_room(found.name)


def makes_room(route: str) -> bool:
    """Whether the spare room is given up for a route; what the router does not find gets nothing."""
    return route.startswith("DELETE ") or route in _OTHERS
