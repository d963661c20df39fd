"""Puts the application together."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache, partial
from importlib.metadata import PackageNotFoundError, version

from fastapi import APIRouter, Depends, FastAPI
from starlette.routing import BaseRoute
from starlette.types import ASGIApp

from backend.access.prepare import sign_in_methods
from backend.access.provider_settings import identity_provider
from backend.access.provider_sign_in import ProviderSignIn
from backend.access.public_addresses import needs_sign_in, public_addresses
from backend.access.rate_limit import RateLimiter
from backend.api import web_page
from backend.api.auth_middleware import AuthMiddleware
from backend.api.body_limits import BodyLimits
from backend.api.compressed_answers import CompressedAnswers
from backend.api.dependencies import own_investigation, shared_investigation
from backend.api.description import describe
from backend.api.event_broadcaster import EventBroadcaster
from backend.api.found_route import RouteFinder, require_decision
from backend.api.host_origin_guard import HostOriginGuard
from backend.api.inner_answers import InnerAnswers
from backend.api.link_answer import LinkAnswer
from backend.api.plain_addresses import PlainAddresses
from backend.api.problems import install_error_handlers
from backend.api.room_to_delete import RoomToDelete
from backend.api.routes import (
    about,
    audit,
    charts,
    collector,
    comparisons,
    detectors,
    dumps,
    files,
    health,
    investigations,
    looks,
    members,
    notes,
    pictures,
    progress,
    provider_sign_in,
    reading,
    runs,
    shared,
    shares,
    sign_in,
    tokens,
    uploads,
    waits,
    workers,
)
from backend.api.server import END_STREAMS
from backend.api.shared_answers import SharedAnswers
from backend.services.recognise_text import DumpReader, read_nothing
from backend.storage.store import Store

API = "/api/v1"


def create_app(store: Store, read_dumps: DumpReader = read_nothing) -> FastAPI:
    """The web page and the API over what is stored; `read_dumps` recognises texts that are pasted."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[dict[str, object]]:
        app.state.broadcaster = broadcaster = EventBroadcaster(store)
        broadcaster.start()
        yield {END_STREAMS: broadcaster.end_streams}
        await broadcaster.stop()

    app = FastAPI(
        title="Stallscope",
        version=product_version(),
        summary="Explains from packet captures and kernel dumps why connections stall.",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
        dependencies=[Depends(require_decision)],
    )
    app.openapi = partial(describe, app)  # type: ignore[method-assign]
    app.state.store = store
    app.state.read_dumps = read_dumps
    app.state.busy_uploads = set()
    app.state.limiter = RateLimiter()
    provider = identity_provider(store.settings)
    app.state.provider = ProviderSignIn(provider) if provider else None
    app.state.sign_in_methods = sign_in_methods(store.settings)
    install_error_handlers(app)
    app.router.routes.extend(_routes())
    _guard(app, store)
    return app


@cache
def _routes() -> tuple[BaseRoute, ...]:
    """The same for every store: FastAPI takes a quarter of a second to make them."""
    router = APIRouter(dependencies=[Depends(require_decision)])
    router.include_router(health.router)
    for part in (
        sign_in,
        provider_sign_in,
        members,
        tokens,
        audit,
        workers,
        collector,
        detectors,
        investigations,
        files,
        uploads,
        progress,
        notes,
        shares,
        comparisons,
        runs,
        about,
    ):
        router.include_router(part.router, prefix=API)
    router.include_router(
        looks.router,
        prefix=f"{API}/investigations/{{investigation_id}}",
        dependencies=[Depends(own_investigation)],
    )
    for part in (reading, charts, waits, dumps, pictures):
        router.include_router(
            part.router,
            prefix=f"{API}/investigations/{{investigation_id}}",
            dependencies=[Depends(own_investigation)],
        )
        router.include_router(
            part.router,
            prefix=f"{API}/shared/{{share_id}}",
            dependencies=[Depends(shared_investigation)],
            default_response_class=LinkAnswer,
        )
    router.include_router(shared.router, prefix=API, default_response_class=LinkAnswer)
    router.include_router(web_page.router)
    return tuple(router.routes)


def _guard(app: FastAPI, store: Store) -> None:
    """The last that is added is the first that a request meets."""
    routes = RouteFinder(app)
    app.add_middleware(BodyLimits)
    app.add_middleware(RoomToDelete, store=store)
    app.add_middleware(
        SharedAnswers,
        store=store,
        limiter=app.state.limiter,
        routes=routes,
        prefix=f"{API}/shared/{{share_id}}/",
    )
    app.add_middleware(InnerAnswers, routes=routes)
    app.add_middleware(AuthMiddleware, store=store, limiter=app.state.limiter, routes=routes)
    app.add_middleware(CompressedAnswers)
    app.add_middleware(PlainAddresses)


def create_guarded_app(store: Store, port: int, read_dumps: DumpReader) -> ASGIApp:
    """The application behind its host and origin guard, which even the answer to a bug passes."""
    return HostOriginGuard(
        create_app(store, read_dumps),
        port,
        public_addresses(store.settings),
        any_figures=needs_sign_in(store.settings),
    )


def product_version() -> str:
    """The installed version, ``0`` when run from files that were never installed."""
    try:
        return version("stallscope")
    except PackageNotFoundError:
        return "0"
