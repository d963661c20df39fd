"""The disk as the API shows it."""

from __future__ import annotations

from pydantic import BaseModel


class Storage(BaseModel):
    """The disk of the data folder."""

    total_bytes: int
    free_bytes: int
    reserve_bytes: int
    """Free space below which uploads are refused."""
    uploads_refused: bool
    upload_max_bytes: int
    """Largest file that may be uploaded."""
