"""What endpoints receive."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Annotated

from fastapi import Cookie, Depends, Header, Path, Request

from backend.access.callers import Caller
from backend.access.prepare import SignInMethods
from backend.access.rate_limit import RateLimiter
from backend.api.auth_middleware import client_address
from backend.api.event_broadcaster import EventBroadcaster
from backend.api.opened_link import OpenedLink, verdict
from backend.api.problems import NOTHING_HERE
from backend.api.share_session import SHARE_COOKIE
from backend.errors import NotFound
from backend.services.recognise_text import DumpReader
from backend.services.scope import WHOLE, Scope
from backend.storage.records import Share
from backend.storage.store import Store

ID_PATTERN = "^[0-9a-f]{1,32}$"

InvestigationId = Annotated[str, Path(description="Id of the investigation", pattern=ID_PATTERN)]
ShareId = Annotated[str, Path(description="Id of the link", pattern=ID_PATTERN)]
FileId = Annotated[str, Path(description="Id of the file, or its name")]
IdempotencyKey = Annotated[
    str | None, Header(alias="Idempotency-Key", max_length=255, description="The same key creates only once")
]


def current_store(request: Request) -> Store:
    """What the application was started with; behind a frozen link, with what that link keeps."""
    store: Store = getattr(request.state, "shown", None) or request.app.state.store
    return store


def current_broadcaster(request: Request) -> EventBroadcaster:
    """The one task that watches for progress."""
    broadcaster: EventBroadcaster = request.app.state.broadcaster
    return broadcaster


def current_dump_reader(request: Request) -> DumpReader:
    """What knows the formats of dumps."""
    reader: DumpReader = request.app.state.read_dumps
    return reader


def current_caller(request: Request) -> Caller:
    """Who asks; the auth middleware has found it out."""
    caller: Caller = request.state.caller
    return caller


def current_rate_limiter(request: Request) -> RateLimiter:
    """What counts wrong secrets."""
    limiter: RateLimiter = request.app.state.limiter
    return limiter


def current_sign_in_methods(request: Request) -> SignInMethods:
    """How people may sign in."""
    methods: SignInMethods = request.app.state.sign_in_methods
    return methods


def limited_share_attempt(request: Request, share_id: str) -> AbstractContextManager[None]:
    """Around the check of a link's secret: wrong ones are counted, and too many answered with 429."""
    return current_rate_limiter(request).attempt("share", client_address(request), share_id)


@contextmanager
def limited_password_attempt(request: Request, share_id: str, password: str | None) -> Iterator[None]:
    """Around the check of a link's secret and password: a password is worth fewer guesses than 256 random bits."""
    with limited_share_attempt(request, share_id):
        if not password:
            yield
            return
        with current_rate_limiter(request).attempt("share password", client_address(request), share_id):
            yield


CallerDep = Annotated[Caller, Depends(current_caller)]
SignInMethodsDep = Annotated[SignInMethods, Depends(current_sign_in_methods)]
RateLimiterDep = Annotated[RateLimiter, Depends(current_rate_limiter)]
DumpReaderDep = Annotated[DumpReader, Depends(current_dump_reader)]
StoreDep = Annotated[Store, Depends(current_store)]
BroadcasterDep = Annotated[EventBroadcaster, Depends(current_broadcaster)]


def own_investigation(request: Request, investigation_id: InvestigationId) -> None:
    """The investigation is named in the address."""
    request.state.subject = investigation_id
    request.state.notes_shown = True


def shared_investigation(
    request: Request,
    share_id: ShareId,
    token: Annotated[str | None, Header(alias="X-Stallscope-Share")] = None,
    cookie: Annotated[str | None, Cookie(alias=SHARE_COOKIE)] = None,
) -> None:
    """The investigation is the one that the link opens, as the link shows it; the middleware has opened it."""
    del token, cookie
    link = verdict(request.scope, share_id)
    request.state.subject = link.share.investigation_id
    request.state.share = link.share
    request.state.notes_shown = link.share.with_notes
    request.state.shown = link.shown
    request.state.link = link


def subject(request: Request) -> str:
    """Id of the investigation to read, whichever way it was named."""
    found: str | None = getattr(request.state, "subject", None)
    if found is None:  # its id was none
        raise NotFound(NOTHING_HERE)
    return found


def notes_shown(request: Request) -> bool:
    """Whether what people noted is for this reader: not, unless that was decided."""
    return bool(getattr(request.state, "notes_shown", False))


def current_share(request: Request) -> Share:
    """The link that was opened."""
    found: Share | None = getattr(request.state, "share", None)
    if found is None:
        raise NotFound(NOTHING_HERE)
    return found


def current_link(request: Request) -> OpenedLink | None:
    """The link whose rules the answer passes; None for one's own investigations, and a link that shows all as it is."""
    link: OpenedLink | None = getattr(request.state, "link", None)
    return link if link is not None and link.view is not None else None


def current_scope(link: LinkDep) -> Scope:
    """The part that this reader may see: all of their own investigations."""
    return link.scope if link is not None else WHOLE


LinkDep = Annotated[OpenedLink | None, Depends(current_link)]
ScopeDep = Annotated[Scope, Depends(current_scope)]
ShareDep = Annotated[Share, Depends(current_share)]
Subject = Annotated[str, Depends(subject)]
NotesShown = Annotated[bool, Depends(notes_shown)]
