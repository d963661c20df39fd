"""The times of printed packets: with or without a date, in seconds since 1970, as differences, or none at all."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

_DAY_NS: Final = 86_400_000_000_000
_HALF_DAY_NS: Final = _DAY_NS // 2
_FEW: Final = 3
"""Values that never fall are times since the first packet (`-ttttt`), fewer may be chance."""
_days: dict[str, int] = {}


class Clock:
    """Turns the times of one section into ns. `undated`: times of day stand without a date; `untimed`: packets
    without a time, which have that of the packet before."""

    def __init__(self, *, since_first: bool = False) -> None:
        self.undated = False
        self.untimed = 0
        self.timed = 0
        self._since_first = since_first
        self._last_ns = 0
        self._days = 0

    def ns(self, text: str, *, set_in: bool) -> int:
        """The time of the next packet."""
        if not text:
            self.untimed += 1
            return self._last_ns
        self.timed += 1
        if text[2:3] != ":":
            self._last_ns = _absolute_ns(text)
        elif set_in and not self._since_first:
            self._last_ns += _of_day_ns(text)
        else:
            self._last_ns = self._dated(_of_day_ns(text), set_in)
        return self._last_ns

    def _dated(self, of_day_ns: int, set_in: bool) -> int:
        """A time of day alone: the day goes on where it falls by more than half a day."""
        self.undated = self.undated or not set_in
        time_ns = self._days * _DAY_NS + of_day_ns
        if time_ns < self._last_ns - _HALF_DAY_NS:
            self._days += 1
            time_ns += _DAY_NS
        return time_ns

    def after_ns(self, text: str) -> int:
        """A time of tshark's column: seconds since the first packet."""
        if ":" in text or len(text.partition(".")[0]) >= 9:
            return self.ns(text, set_in=False)
        self.timed += 1
        whole, _, part = text.lstrip("-").partition(".")
        self._last_ns = int(whole) * 1_000_000_000 + _fraction_ns(part)
        return self._last_ns


def runs_since_first(clocks: Sequence[str]) -> bool:
    """Whether times that are set in count from the first packet and not from the one before."""
    return len(clocks) >= _FEW and list(clocks) == sorted(clocks) and clocks[0] != clocks[-1]


def _fraction_ns(digits: str) -> int:
    return int(digits[:9].ljust(9, "0")) if digits else 0


def _of_day_ns(text: str) -> int:
    seconds = int(text[0:2]) * 3600 + int(text[3:5]) * 60 + int(text[6:8])
    return seconds * 1_000_000_000 + _fraction_ns(text[9:])


def _absolute_ns(text: str) -> int:
    """``2026-11-21 01:11:43.486943`` or ``1795223503.486943``."""
    if text[4:5] == "-":
        return _day_ns(text[:10]) + _of_day_ns(text[11:])
    whole, _, part = text.replace(",", ".").partition(".")
    return int(whole) * 1_000_000_000 + _fraction_ns(part)


def _day_ns(text: str) -> int:
    if text not in _days:
        if len(_days) > 1_000:
            _days.clear()
        try:
            day = datetime(int(text[:4]), int(text[5:7]), int(text[8:10]), tzinfo=UTC)
        except ValueError:
            return 0
        _days[text] = int(day.timestamp()) * 1_000_000_000
    return _days[text]
