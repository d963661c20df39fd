"""Sign in at the identity provider: there, and back."""

from __future__ import annotations

import re
from urllib.parse import quote, unquote

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from backend.access.provider_members import Blocked, NotAllowed, sign_in_from_provider
from backend.access.provider_sign_in import Attempt, ProviderSignIn
from backend.api.auth_middleware import client_address, cookie_name, origin, session_cookie
from backend.api.dependencies import RateLimiterDep, StoreDep
from backend.api.schemas.access import ProviderAddress, WayBack
from backend.errors import NotFound, Refused, Unavailable

router = APIRouter(prefix="/sign-in/provider", tags=["sign-in"])
ATTEMPT_LASTS_S = 600
_OWN_PATH = re.compile(r"/(?![/\\])[\x21-\x7e]*")
"""On this server: `//host` and `/\\host` are addresses of others."""


@router.post("")
def begin(way_back: WayBack, request: Request, response: Response) -> ProviderAddress:
    """The address to redirect to; a cookie binds the attempt to this browser."""
    attempt = Attempt.new()
    address = _provider(request).address(attempt, _redirect_uri(request))
    path = way_back.return_to if _OWN_PATH.fullmatch(way_back.return_to) else "/"
    kept = ".".join((attempt.state, attempt.nonce, attempt.verifier, quote(path, safe="")))
    response.headers.append("Set-Cookie", _attempt_cookie(request, kept))
    return ProviderAddress(address=address)


@router.get("/callback", response_class=RedirectResponse, status_code=303)
def end(request: Request, store: StoreDep, limiter: RateLimiterDep) -> Response:
    """Where the provider sends the browser back to."""
    provider = _provider(request)
    kept = request.cookies.get(f"{cookie_name(request)}_attempt", "").split(".", 3)
    if len(kept) != 4:
        return _back(request, "/?refused=stale")
    try:
        with limiter.attempt("oidc", client_address(request), client_address(request)):
            claims = provider.claims(Attempt(*kept[:3]), _redirect_uri(request), dict(request.query_params))
        done = sign_in_from_provider(store, provider.provider, claims)
    except NotAllowed:
        return _back(request, "/?refused=not-allowed")
    except Blocked:
        return _back(request, "/?refused=blocked")
    except (Refused, Unavailable):
        return _back(request, "/?refused=failed")
    path = unquote(kept[3])
    answer = _back(request, path if _OWN_PATH.fullmatch(path) else "/")
    answer.headers.append("Set-Cookie", session_cookie(request, done.secret))
    return answer


def _back(request: Request, path: str) -> Response:
    answer = RedirectResponse(path, status_code=303)
    answer.headers.append("Set-Cookie", _attempt_cookie(request, ""))
    return answer


def _provider(request: Request) -> ProviderSignIn:
    provider: ProviderSignIn | None = request.app.state.provider
    if provider is None:
        raise NotFound("Nobody signs in at an identity provider on this server.")
    return provider


def _redirect_uri(request: Request) -> str:
    return f"{origin(request)}/api/v1/sign-in/provider/callback"


def _attempt_cookie(request: Request, kept: str) -> str:
    """Lax, for the way back comes from another site."""
    name = f"{cookie_name(request)}_attempt"
    secure = "; Secure" if name.startswith("__Host-") else ""
    lasts_s = ATTEMPT_LASTS_S if kept else 0
    return f"{name}={kept}; Path=/; Max-Age={lasts_s}; HttpOnly; SameSite=Lax{secure}"
