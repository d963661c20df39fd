"""Figures of a comparison in words."""

from __future__ import annotations


def ms_text(milliseconds: float) -> str:
    """``0.086 ms``, ``3.58 ms``, ``70.2 ms``, ``1,037 ms``."""
    size = abs(milliseconds)
    digits = 0 if size >= 100 else 1 if size >= 10 else 2 if size >= 1 else 3
    return f"{milliseconds:,.{digits}f} ms"


def p_text(p_value: float | None) -> str:
    """``p = 3e-12``; "" where there was no test. Below what a float can say it is bounded, not 0."""
    if p_value is None:
        return ""
    return f"p = {p_value:.2g}" if p_value > 1e-300 else "p < 1e-300"
