"""What the router finds for a request, found once with the router's own patterns; every rule goes by it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from fastapi import FastAPI, Request
from fastapi.routing import iter_route_contexts
from starlette.routing import Match
from starlette.types import Scope

from backend.api.problems import NOTHING_HERE
from backend.errors import NotFound


@dataclass(frozen=True)
class FoundRoute:
    """A route and what it takes out of the address."""

    method: str
    template: str
    """``/api/v1/investigations/{investigation_id}``"""
    parameters: Mapping[str, str]
    endpoint: Callable[..., Any]
    answer: Any
    """The declared type of its answers."""

    @property
    def name(self) -> str:
        """As `backend.access.rules` names it: ``GET /healthz``."""
        return f"{self.method} {self.template}"


class RouteFinder:
    """Asks the routes of an application, in their order, as its router does."""

    def __init__(self, app: FastAPI) -> None:
        self._routes = list(iter_route_contexts(app.routes))

    def find(self, scope: Scope) -> FoundRoute | None:
        """None where nothing answers this method at this address."""
        for route in self._routes:
            match, found = route.matches(scope)
            if match is Match.FULL:
                assert route.path_format is not None
                return FoundRoute(
                    scope["method"],
                    route.path_format,
                    found["path_params"],
                    found["endpoint"],
                    getattr(route, "response_model", None),
                )
        return None


def put_found(scope: Scope, found: FoundRoute) -> None:
    """For what comes after."""
    scope.setdefault("state", {})["found"] = found


def found_route(scope: Scope) -> FoundRoute | None:
    """What the middleware went by; None where it found nothing."""
    found: FoundRoute | None = scope.get("state", {}).get("found")
    return found


async def require_decision(request: Request) -> None:
    """A dependency of every route: it answers only what the middleware has judged, this route with these parameters.

    Raises NotFound otherwise, so that an address which the two read differently opens nothing."""
    found = found_route(request.scope)
    is_judged = (
        found is not None
        and found.endpoint is request.scope["endpoint"]
        and found.parameters == request.path_params
    )
    if not is_judged:
        raise NotFound(NOTHING_HERE)
