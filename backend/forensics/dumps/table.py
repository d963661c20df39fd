"""Records kept as rows of a structured array: as small and fast as the packet table, and still readable in words."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic_core import CoreSchema, core_schema

Record = TypeVar("Record")


class RecordTable(ABC, Generic[Record]):
    """Rows of one dtype. Its length is theirs, iterating gives each row in words, and equal rows are equal tables."""

    dtype: ClassVar[np.dtype[np.void]]

    def __init__(self, rows: NDArray[np.void] | None = None) -> None:
        self.rows: NDArray[np.void] = np.zeros(0, self.dtype) if rows is None else rows

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Record]:
        return (self._record(row) for row in self.rows)

    def __getitem__(self, index: int) -> Record:
        return self._record(self.rows[index])

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and np.array_equal(self.rows, other.rows)

    def __hash__(self) -> int:
        return hash((type(self), len(self.rows)))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self.rows)} rows)"

    @abstractmethod
    def _record(self, row: np.void) -> Record:
        """A row in words."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> CoreSchema:
        """In JSON a table is only its length: rows are kept beside it, as columns."""

        def read(value: Any) -> RecordTable[Record]:
            return value if isinstance(value, cls) else cls()

        return core_schema.no_info_plain_validator_function(
            read, serialization=core_schema.plain_serializer_function_ser_schema(len)
        )
