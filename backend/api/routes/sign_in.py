"""Sign in, sign out, and who one is."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response, status

from backend.access.browser_sign_ins import end_sign_in
from backend.access.callers import as_member
from backend.access.own_password import change_own_password
from backend.access.password_sign_in import sign_in_with_password
from backend.api.auth_middleware import client_address, session_cookie
from backend.api.dependencies import CallerDep, RateLimiterDep, SignInMethodsDep, StoreDep
from backend.api.schemas.access import Credentials, PasswordChange, WhoAmI
from backend.errors import Conflict, NotFound

router = APIRouter(prefix="/sign-in", tags=["sign-in"])


@router.get("")
def who_am_i(caller: CallerDep, methods: SignInMethodsDep) -> WhoAmI:
    """Whether sign-in is required, by which methods, and who is signed in; never refused."""
    return WhoAmI.of(caller, methods)


@router.post("")
def sign_in(
    given: Credentials,
    request: Request,
    store: StoreDep,
    limiter: RateLimiterDep,
    methods: SignInMethodsDep,
    response: Response,
) -> WhoAmI:
    """Sign in with name and password; the response sets the session cookie."""
    if not methods.password:
        raise NotFound("Nobody signs in with a password on this server.")
    done = sign_in_with_password(
        store, limiter, client_address(request), name=given.name, password=given.password
    )
    response.headers.append("Set-Cookie", session_cookie(request, done.secret))
    return WhoAmI.of(as_member(done.member, sign_in_id=""), methods)


@router.put("/password", status_code=status.HTTP_204_NO_CONTENT)
def change_password(
    given: PasswordChange,
    request: Request,
    store: StoreDep,
    limiter: RateLimiterDep,
    caller: CallerDep,
    response: Response,
) -> None:
    """The caller's own; every other session is signed out. Wrong old passwords count towards the sign-in rate limit."""
    if caller.kind != "member" or caller.member is None:
        raise Conflict("Only a member who is signed in has a password to change.")
    address = client_address(request)
    secret = change_own_password(store, limiter, address, caller.member, old=given.old, new=given.new)
    response.headers.append("Set-Cookie", session_cookie(request, secret))


@router.delete("", status_code=status.HTTP_204_NO_CONTENT)
def sign_out(caller: CallerDep, request: Request, store: StoreDep, response: Response) -> None:
    """Ends the session and deletes its cookie."""
    if caller.sign_in_id:
        end_sign_in(store, caller.sign_in_id)
    response.headers.append("Set-Cookie", session_cookie(request, ""))
