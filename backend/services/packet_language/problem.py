"""A filter that is not understood, and where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from backend.errors import InvalidRequest


@dataclass(frozen=True)
class Spot:
    """Part of a filter's text, in characters."""

    at: int
    length: int


class BadFilter(InvalidRequest):
    """Names the place in the text, what may have been meant, and whether it may be Wireshark's own language."""

    status = 422
    title = "The filter is not understood"

    def __init__(
        self, sentence: str, spot: Spot, *, did_you_mean: tuple[str, ...] = (), wireshark: bool = False
    ) -> None:
        super().__init__(sentence)
        self.spot = spot
        self.did_you_mean = did_you_mean
        self.wireshark = wireshark

    @property
    def members(self) -> dict[str, Any]:
        """Further members of the problem document."""
        return {
            "at": self.spot.at,
            "length": self.spot.length,
            "did_you_mean": list(self.did_you_mean),
            "wireshark": self.wireshark,
        }
