"""Models of rows of the tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from backend.errors import Outdated

Model = TypeVar("Model", bound=BaseModel)


def of_row(model: type[Model], row: Mapping[str, Any]) -> Model:
    """The model of a row; raises Outdated where an older version wrote the table without one of its columns."""
    try:
        return model.model_validate(row)
    except ValidationError as error:
        if all(each["type"] == "missing" for each in error.errors(include_url=False)):
            raise Outdated() from error
        raise
