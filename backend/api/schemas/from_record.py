"""What of a stored record is shown."""

from __future__ import annotations

from typing import Self

from pydantic import BaseModel, BeforeValidator, ConfigDict

NULL_IF_EMPTY = BeforeValidator(lambda text: text or None)
"""A text that is stored as "" where there is none."""


class FromRecord(BaseModel):
    """The fields that are named here are read from the record's attributes, and nothing else of it."""

    model_config = ConfigDict(from_attributes=True, validate_by_name=True, validate_by_alias=True)

    @classmethod
    def of(cls, record: object) -> Self:
        """What is shown of the record."""
        return cls.model_validate(record)
