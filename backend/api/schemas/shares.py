"""Share links as the API shows them."""

from __future__ import annotations

from pydantic import BaseModel

from backend.storage.records import Share as ShareRecord


class ShareWish(BaseModel):
    """How long a new link shall live."""

    expires_days: int = 30


class Share(BaseModel):
    """A link without its secret, which is not stored."""

    id: str
    created: str
    expires: str
    revoked: str | None

    @classmethod
    def of(cls, share: ShareRecord) -> Share:
        """The stored record in the API's words."""
        return cls(id=share.id, created=share.created, expires=share.expires, revoked=share.revoked)


class NewShare(Share):
    """A link as it is given out, once."""

    url_path: str
    secret: str


class ShareList(BaseModel):
    """All links of an investigation."""

    items: list[Share]


class Secret(BaseModel):
    """The part of a link behind its #."""

    secret: str


class ShareSession(BaseModel):
    """What to send as X-Stallscope-Share with each request."""

    token: str
    expires: str
