"""Share links as the API shows them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, Field

from backend.api.schemas.from_record import FromRecord
from backend.storage.records import ShareView

Addresses = Literal["names", "real"]
Payload = Literal["removed", "headers"]
Shows = Literal["frozen", "live"]
OffsetNs = Annotated[int, Field(strict=True, ge=-(2**53) + 1, le=2**53 - 1)]
"""ns after t0; the ends are what JavaScript's numbers hold exactly."""


class View(BaseModel):
    """A time window, a filter and a selection of lanes; with a finding, that finding only."""

    from_ns: OffsetNs | None = Field(default=None, alias="from")
    to_ns: OffsetNs | None = Field(default=None, alias="to")
    """The end excluded; null for the end of the data, as `from` for its beginning."""
    filter: str = Field(default="", max_length=4000)
    """Of packets, as in their list."""
    lanes: list[Annotated[str, Field(max_length=300)]] = Field(default=[], max_length=50)
    """Ids of lanes; none for all."""

    @classmethod
    def of(cls, view: ShareView) -> View:
        """The stored record in the API's words."""
        scope = {"from": view.from_ns, "to": view.to_ns, "filter": view.filter, "lanes": list(view.lanes)}
        return cls.model_validate(scope)

    def record(self) -> ShareView:
        """What is stored of it."""
        return ShareView(self.from_ns, self.to_ns, self.filter, tuple(self.lanes))


class ShareOptions(BaseModel):
    """What a new link shows, and when it expires."""

    expires_days: int = 30
    finding: str = Field(default="", max_length=80)
    """Only this finding; empty for the whole investigation."""
    addresses: Addresses = "names"
    """`names` puts other names for addresses, files and machines; ports and times stay."""
    payload: Payload = "removed"
    """`headers` shows words of HTTP and DNS messages: paths, hosts, lookups. What messages carry is never shown."""
    shows: Shows = "live"
    """`frozen` shows the finished analysis of now, whatever is added, renamed or analysed anew later."""
    notes: bool = False
    """Whether notes by people are shown."""
    view: View | None = None
    """Only this view; null for all of the investigation, or of the finding."""
    password: str = Field(default="", max_length=200)
    show_title: bool = False
    """Whether a chat's preview of the link shows what was found."""


ShownView = Annotated[
    View | None, BeforeValidator(lambda view: View.of(view) if isinstance(view, ShareView) else view)
]


class Share(FromRecord):
    """A link without its secret, which is not stored."""

    id: str
    created: str
    expires: str
    revoked: str | None
    finding: str = Field(validation_alias="finding_id")
    addresses: Addresses
    payload: Payload
    shows: Shows
    notes: bool = Field(validation_alias="with_notes")
    view: ShownView
    made_by: str
    """Empty where nobody signs in."""
    has_password: Annotated[bool, BeforeValidator(bool)] = Field(validation_alias="password_hash")
    show_title: bool
    opened: int
    """How often somebody opened it; reading an address of it again does not count."""
    last_opened: str | None


class NewShare(Share):
    """A new link with its secret, which is shown once."""

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
    created: str
    made_by: str
    finding: str
    addresses: Addresses
    payload: Payload
    shows: Shows
    notes: bool
    view: View | None
    """Its filter and lanes in the words that the link shows."""
