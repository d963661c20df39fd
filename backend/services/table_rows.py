"""Results that are rows of the tables."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import cache
from typing import Any, TypeVar, cast

from pydantic import TypeAdapter, ValidationError

from backend.errors import Outdated

Result = TypeVar("Result")


def of_row(kind: type[Result], row: Mapping[str, Any]) -> Result:
    """The result of a row; raises Outdated where an older version wrote the table without one of its columns."""
    try:
        result: Result = _adapter(cast(Hashable, kind)).validate_python(row)
    except ValidationError as error:
        if all(each["type"] == "missing" for each in error.errors(include_url=False)):
            raise Outdated() from error
        raise
    return result


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)
