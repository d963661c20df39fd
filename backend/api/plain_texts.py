"""Refuses texts that nothing behind the API can keep: half characters have no UTF-8, and databases end at a NUL.

Asked of whole bodies and queries, before a route reads them: a field that somebody adds is checked with them.
"""

from __future__ import annotations

import re
from typing import Final

from backend.errors import InvalidRequest

NO_UTF_8: Final = "A body is JSON in UTF-8."
NO_TEXT: Final = (
    "A text holds no control character U+0000 and no half characters (surrogates without their pair)."
)

_NO_CHARACTER: Final = re.compile(
    rb"\\u(?:"
    rb"0000"
    rb"|[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])"
    rb"|(?<!\\u[dD][89abAB][0-9a-fA-F]{2}\\u)[dD][c-fC-F]"
    rb")"
)
"""Escapes of JSON, where no backslash is itself escaped."""


def check_json(content: bytes | bytearray) -> None:
    """Raises InvalidRequest; whether it is JSON at all is asked later."""
    try:
        content.decode()
    except UnicodeDecodeError:
        raise InvalidRequest(NO_UTF_8) from None
    # Readers of JSON take what has such bytes for UTF-16 or UTF-32.
    if b"\0" in content:
        raise InvalidRequest(NO_UTF_8)
    if _NO_CHARACTER.search(content.replace(rb"\\", b" ")):
        raise InvalidRequest(NO_TEXT)


def check_query(query: bytes) -> None:
    """Raises InvalidRequest. Bytes that are no UTF-8 are replaced where a query is read."""
    if b"%00" in query or b"\0" in query:
        raise InvalidRequest(NO_TEXT)
