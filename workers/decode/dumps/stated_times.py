"""Times as people and tools write them beside a dump: `date`, ISO 8601, `date -R`, epoch seconds.

A time without a zone counts as UTC, which is what nodes run on; an ambiguous zone (``CST``) gives no time.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
ZONE_HOURS = {
    "": 0, "Z": 0, "UTC": 0, "GMT": 0, "WET": 0, "CET": 1, "CEST": 2, "EET": 2, "EEST": 3, "MSK": 3,
    "JST": 9, "EST": -5, "EDT": -4, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7,
}  # fmt: skip

_CLOCK = r"(?P<clock>\d{1,2}:\d{2}:\d{2})(?:[.,](?P<fraction>\d{1,9}))?(?: ?(?P<half>AM|PM))?"
_ZONE = r"(?: ?(?P<zone>[+-]\d{2}:?\d{2}|[A-Z]{1,5}))?"
_DAY = r"(?:[A-Z][a-z]{2},? )?"
_SHAPES = tuple(
    re.compile(shape)
    for shape in (
        rf"(?P<year>\d{{4}})-(?P<month>\d{{2}})-(?P<day>\d{{2}})[T ]{_CLOCK}{_ZONE}",
        rf"{_DAY}(?P<month>[A-Z][a-z]{{2}}) {{1,2}}(?P<day>\d{{1,2}}) {_CLOCK}{_ZONE} (?P<year>\d{{4}})",
        rf"{_DAY}(?P<day>\d{{1,2}}) (?P<month>[A-Z][a-z]{{2}}) (?P<year>\d{{4}}) {_CLOCK}{_ZONE}",
    )
)
_EPOCH = re.compile(r"(\d{10})(?:\.(\d{1,9}))?")


def stated_time_ns(text: str) -> int | None:
    """The time that `text` starts with, in ns since 1970 UTC; None if with none."""
    for shape in _SHAPES:
        match = shape.match(text)
        if match and text[match.end() : match.end() + 1] in ("", " ", "\t"):
            return _time_of(match)
    return None


def is_only_a_time(text: str) -> bool:
    """Whether the whole text is one time, as `date` prints it."""
    matches = (shape.fullmatch(text) for shape in _SHAPES)
    return any(match is not None and _time_of(match) is not None for match in matches)


def epoch_time_ns(text: str) -> int | None:
    """``1795223503.487264`` in ns, exactly; None for anything else."""
    match = _EPOCH.fullmatch(text)
    if match is None:
        return None
    return int(match[1]) * 10**9 + _fraction_ns(match[2])


def _fraction_ns(digits: str | None) -> int:
    return int((digits or "0").ljust(9, "0"))


def _time_of(match: re.Match[str]) -> int | None:
    month_text = match["month"]
    month = int(month_text) if month_text.isdigit() else _month_number(month_text)
    zone = _zone_of(match["zone"] or "")
    if month is None or zone is None:
        return None
    hour, minute, second = (int(part) for part in match["clock"].split(":"))
    if match["half"]:
        hour = hour % 12 + (12 if match["half"] == "PM" else 0)
    try:
        moment = datetime(int(match["year"]), month, int(match["day"]), hour, minute, second, tzinfo=zone)
        seconds = (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(seconds=1)
    except (ValueError, OverflowError):
        return None
    # Outside of this nobody took a dump, and later times do not fit 64 bits of nanoseconds.
    return seconds * 10**9 + _fraction_ns(match["fraction"]) if 0 < seconds < 2**33 else None


def _month_number(name: str) -> int | None:
    return MONTHS.index(name) + 1 if name in MONTHS else None


def _zone_of(text: str) -> timezone | None:
    if text[:1] in ("+", "-"):
        digits = text[1:].replace(":", "")
        offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
        if offset >= timedelta(hours=24):
            return None
        return timezone(-offset if text[0] == "-" else offset)
    hours = ZONE_HOURS.get(text)
    return None if hours is None else timezone(timedelta(hours=hours))
