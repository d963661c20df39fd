"""One part of an analysis that breaks loses its own answer, and no other one."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable
from typing import Final, TypeVar

from backend.forensics.report import CheckedPart

_log: Final = logging.getLogger("stallscope.analysis")
_Result = TypeVar("_Result")
_Otherwise = TypeVar("_Otherwise")
CAUSE: Final = "cause:"
"""Before the name of a cause in `CheckedPart.kind`: some have the name of a detector."""
REPORT: Final = "report:"
"""Before the name of a list of the report."""


class Isolation:
    """Runs the parts of one analysis, and keeps which of them broke."""

    strict = False
    """Raise what a part raises: for tests, which are to fail then."""

    def __init__(self) -> None:
        self._failed: dict[str, CheckedPart] = {}

    def run(self, kind: str, part: Callable[[], _Result], otherwise: _Otherwise) -> _Result | _Otherwise:
        """What `part` returns; `otherwise` where it raises, which is logged."""
        try:
            return part()
        except Exception as error:
            if self.strict:
                raise
            # The message of an error may hold addresses and other values of the packets; the places do not.
            name, places = type(error).__name__, "".join(traceback.format_tb(error.__traceback__))
            _log.error("%s broke with %s:\n%s", kind, name, places)
            self._failed[kind] = CheckedPart(
                kind=kind,
                status="failed",
                why=f"this part of the analysis broke ({name}); the others are complete. The log says where.",
            )
            return otherwise

    @property
    def failed(self) -> tuple[CheckedPart, ...]:
        """What broke, in order."""
        return tuple(self._failed.values())
