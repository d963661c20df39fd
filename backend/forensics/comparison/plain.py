"""Figures of a comparison in words."""

from __future__ import annotations

from backend.forensics import wording


def ms_text(milliseconds: float) -> str:
    """``0.086 ms``, ``3.58 ms``, ``70.2 ms``, ``1,037 ms``."""
    size = abs(milliseconds)
    digits = 0 if size >= 100 else 1 if size >= 10 else 2 if size >= 1 else 3
    return f"{milliseconds:,.{digits}f} ms"


def p_text(p_value: float | None) -> str:
    """``p = 0.012``; "" where there was no test."""
    return "" if p_value is None else wording.p_text(p_value)
