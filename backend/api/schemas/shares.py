"""Share links as the API shows them."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from backend.storage.records import Share as ShareRecord

Addresses = Literal["names", "real"]


class ShareWish(BaseModel):
    """What a new link shows, and how long it lives."""

    expires_days: int = 30
    finding: str = Field(default="", max_length=80)
    """Only this finding; empty for the whole investigation."""
    addresses: Addresses = "names"
    """`names` puts other names for addresses, files and everything that packets say; ports and times stay."""
    password: str = Field(default="", max_length=200)
    show_title: bool = False
    """Whether a chat's preview of the link tells what was found."""


class Share(BaseModel):
    """A link without its secret, which is not stored."""

    id: str
    created: str
    expires: str
    revoked: str | None
    finding: str
    addresses: Addresses
    has_password: bool
    show_title: bool
    opened: int
    """How often somebody opened it; reading an address of it again does not count."""
    last_opened: str | None

    @classmethod
    def of(cls, share: ShareRecord) -> Share:
        """The stored record in the API's words."""
        return cls(
            id=share.id,
            created=share.created,
            expires=share.expires,
            revoked=share.revoked,
            finding=share.finding_id,
            addresses="names" if share.addresses == "names" else "real",
            has_password=bool(share.password_hash),
            show_title=share.show_title,
            opened=share.opened,
            last_opened=share.last_opened,
        )


class NewShare(Share):
    """A link as it is given out, once."""

    url_path: str
    secret: str


class ShareList(BaseModel):
    """All links of an investigation."""

    items: list[Share]


class Secret(BaseModel):
    """The part of a link behind its #, and its password where it has one."""

    secret: str = Field(max_length=200)
    password: str | None = Field(default=None, max_length=200)


class ShareSession(BaseModel):
    """What to send as X-Stallscope-Share with each request, and what the link shows."""

    token: str
    expires: str
    finding: str = ""
    addresses: Addresses = "real"
