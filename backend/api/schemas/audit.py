"""The audit log as the API shows it."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel

from backend.storage.audit_log import Act
from backend.storage.audit_log import AuditEvent as EventRecord


class AuditEvent(BaseModel):
    """One thing that was done or refused."""

    id: int
    at: str
    act: Act
    result: Literal["done", "refused"]
    actor_kind: Literal["local", "member", "token", "link", "nobody"]
    actor_id: str
    actor_name: str
    """As it was then."""
    address: str
    """Of the client."""
    investigation_id: str
    """Empty for what belongs to none; the investigation may be gone."""
    subject: str
    """Name of the file, the member or the token, the label, or the id of the link or note."""

    @classmethod
    def of(cls, event: EventRecord) -> AuditEvent:
        """The stored record in the API's words."""
        return cls.model_validate(event, from_attributes=True)


class AuditPage(BaseModel):
    """A page of the log, the newest first."""

    items: list[AuditEvent]
    next_cursor: str | None
