"""Numbers in sentences: one function for each kind, so that every report writes them the same."""

from __future__ import annotations

P_LEAST, P_MOST = 0.001, 0.99
"""Probabilities beyond these show a reader nothing more."""
SHARE_LEAST = 0.1
"""Percent: a smaller share is not rounded to none, nor what is left of it to all."""
TENTHS_BELOW = 10
"""Percent: of larger shares tenths show a reader nothing more."""


NOT_ESTABLISHED = "Not established: "


def worded_as(verdict: str, statement: str) -> str:
    """The statement of a diagnosis. Lists, previews and test results show it without the verdict, so what the evidence
    does not bear out (`cannot-tell`) is not worded as a fact."""
    return f"{NOT_ESTABLISHED}{statement}" if statement and verdict == "cannot-tell" else statement


def plural(number: int, noun: str, many: str = "") -> str:
    """``1 connection``, ``2 connections``; `many` where the plural is not the noun with an s."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {many or f'{noun}s'}"


def times_text(number: int) -> str:
    """``once``, ``13 times``."""
    return "once" if number == 1 else plural(number, "time")


def were(number: int) -> str:
    """The verb after ``1 connection`` and ``2 connections``."""
    return "was" if number == 1 else "were"


def percent(ratio: float) -> str:
    """``4.8 %`` and ``72 %`` of a ratio; ``0 %`` and ``100 %`` only of none and of all."""
    share = 100 * ratio
    if 0 < share < SHARE_LEAST:
        return f"less than {SHARE_LEAST} %"
    if 100 - SHARE_LEAST < share < 100:
        return f"more than {100 - SHARE_LEAST} %"
    exact = 0 < share < TENTHS_BELOW or 100 - TENTHS_BELOW < share < 100
    return f"{share:.1f} %" if exact else f"{share:,.0f} %"


def p_text(p_value: float) -> str:
    """``p = 0.012``, ``p < 0.001``, ``p > 0.99``."""
    if p_value > P_MOST:
        return f"p > {P_MOST}"
    return f"p = {p_value:.2g}" if p_value >= P_LEAST else f"p < {P_LEAST}"


def series_text(names: list[str]) -> str:
    """``eth0``, ``eth0 and eth1``, ``eth0, eth1 and eth2``."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
