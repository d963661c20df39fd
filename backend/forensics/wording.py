"""Numbers in sentences."""

from __future__ import annotations

P_LEAST = 0.001
"""Smaller probabilities tell a reader nothing more."""


def plural(number: int, noun: str, many: str = "") -> str:
    """``1 connection``, ``2 connections``; `many` where the plural is not the noun with an s."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {many or f'{noun}s'}"


def p_text(p_value: float) -> str:
    """``p = 0.012``, ``p < 0.001``."""
    return f"p = {p_value:.2g}" if p_value >= P_LEAST else f"p < {P_LEAST}"
