"""What tshark prints of packets, made fit to be shown: without credentials, with the capture's frame numbers.

The packets that it reads were freed of credentials before; what it decrypts was not, so addresses of requests are
cleared as in connections that carry credentials, and of a text with a sign of credentials the rest is left out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from workers.decode.clear_payload import clear_target
from workers.decode.loop.credential_signs import WORDS

SHOWN_AT_MOST: Final = 300
_SIGN: Final = re.compile(
    r"(?i)" + "|".join(re.escape(word.decode()) for word, _ in WORDS) + r"|\b(?:bearer|basic) \S"
)
_TARGET: Final = re.compile(r"(?:(?<=[A-Z] )|^)(?:/|\w{3,8}://)[^\s\0]+")
_FRAME_NUMBER: Final = re.compile(
    r"(Dup ACK |[Rr]eassembled in #?|\b(?:in|of) frame:? |\((?:reply|request|response) in )(\d{1,9})"
)


@dataclass(frozen=True)
class PrintedText:
    """Clears texts about the packets of a small file."""

    frames: Sequence[int]
    """The capture's numbers of the frames in the small file."""

    def cleared(self, text: str) -> str:
        """At most `SHOWN_AT_MOST` characters of it."""
        numbered = _FRAME_NUMBER.sub(self._numbered, text.strip().removesuffix("\\r\\n"))
        shown = _TARGET.sub(_without_parameters, numbered)
        sign = _SIGN.search(shown)
        if sign is not None:
            shown = f"{shown[: sign.start()]}… (credentials removed)"
        return shown if len(shown) <= SHOWN_AT_MOST else f"{shown[:SHOWN_AT_MOST]}…"

    def frame(self, place: int) -> int | None:
        """The capture's number of a frame of the small file (1-based)."""
        return self.frames[place - 1] if 0 < place <= len(self.frames) else None

    def _numbered(self, found: re.Match[str]) -> str:
        frame = self.frame(int(found[2]))
        return found[0] if frame is None else f"{found[1]}{frame}"


def _without_parameters(found: re.Match[str]) -> str:
    return clear_target(found[0].encode()).decode("utf-8", "replace")
