"""Who signs in, and tokens, as the API shows them."""

from __future__ import annotations

from pydantic import AliasPath, BaseModel, Field

from backend.access.callers import Caller
from backend.access.manage_members import ADMIN_NAME
from backend.access.prepare import SignInMethods
from backend.access.rights import Need, Role, Scope
from backend.api.schemas.from_record import FromRecord


class Credentials(BaseModel):
    """Credentials of a member."""

    name: str = Field(max_length=200)
    password: str = Field(max_length=1024)


class PasswordChange(BaseModel):
    """The caller's own password."""

    old: str = Field(max_length=1024)
    new: str = Field(max_length=1024)


class WayBack(BaseModel):
    """The page to return to."""

    return_to: str = Field(default="/", max_length=2000)


class ProviderAddress(BaseModel):
    """Where the browser is redirected to sign in."""

    address: str


class WhoAmI(BaseModel):
    """Whether sign-in is required, by which methods, and who is signed in."""

    required: bool
    """False on a server that only this machine reaches."""
    password: bool
    """Whether name and password are a way in."""
    provider: str
    """Host of the identity provider that is a way in; empty for none."""
    kind: str
    """``local``, ``member``, ``token`` or ``nobody``."""
    name: str
    role: str
    may: list[Need]
    """What the caller is allowed."""
    may_change_password: bool
    """False for who has none here: it is the provider's, a token's, or the server's settings hold it."""

    @classmethod
    def of(cls, caller: Caller, methods: SignInMethods) -> WhoAmI:
        """Of who asks."""
        return cls(
            required=methods.required,
            password=methods.password,
            provider=methods.provider,
            kind=caller.kind,
            name=caller.member.name if caller.member else "",
            role=caller.member.role if caller.member else "",
            may=sorted(caller.may),
            may_change_password=_has_own_password(caller, methods),
        )


def _has_own_password(caller: Caller, methods: SignInMethods) -> bool:
    member = caller.member
    if caller.kind != "member" or member is None or not methods.password:
        return False
    return not member.issuer and member.name != ADMIN_NAME


class MemberView(FromRecord):
    """A member, without secrets."""

    id: str
    name: str
    role: Role
    issuer: str
    """The identity provider; empty for members with a password."""
    created: str
    last_sign_in: str | None
    blocked: bool


class MemberList(BaseModel):
    """All members."""

    items: list[MemberView]


class NewMember(BaseModel):
    """A member who signs in with a password."""

    name: str = Field(max_length=200)
    role: Role


class MemberChange(BaseModel):
    """What is left out stays."""

    role: Role | None = None
    blocked: bool | None = None


class MemberWithPassword(MemberView):
    """A member with the generated password, shown once."""

    password: str


class TokenOptions(BaseModel):
    """A token for a program."""

    name: str = Field(max_length=200)
    scope: Scope = Scope.UPLOAD
    expires_days: int = 90


class TokenView(FromRecord):
    """A token without its secret, which is not stored."""

    id: str
    name: str
    scope: Scope
    created: str
    expires: str
    last_used: str | None
    made_by: str = Field(default="", validation_alias=AliasPath("member", "name"))
    """Name of a member; empty where nobody signs in."""


class TokenList(BaseModel):
    """All tokens."""

    items: list[TokenView]


class NewTokenView(TokenView):
    """A new token with its secret, which is shown once."""

    token: str
