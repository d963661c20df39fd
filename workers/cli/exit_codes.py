"""Exit codes of every command."""

from __future__ import annotations

from typing import Final

EXIT_DONE: Final = 0
EXIT_FOUND: Final = 1
EXIT_USAGE: Final = 2
EXIT_SERVER: Final = 3
EXIT_NOT_FINISHED: Final = 4
EXIT_BUG: Final = 70
