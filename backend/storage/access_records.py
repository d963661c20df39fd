"""What the access rows say, as frozen values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Member:
    """Someone who may sign in, without their password's hash."""

    id: str
    name: str
    issuer: str
    role: str
    created: str
    last_sign_in: str | None
    blocked: bool


@dataclass(frozen=True)
class SignIn:
    """One browser that is signed in."""

    id: str
    member: Member
    secret_sha256: str
    previous_sha256: str
    rotated: str
    confirmed: str | None
    created: str
    expires: str


@dataclass(frozen=True)
class AccessToken:
    """A token without its secret."""

    id: str
    name: str
    scope: str
    secret_sha256: str
    member: Member | None
    """Who made it; None where nobody signs in."""
    created: str
    expires: str
    last_used: str | None
