"""A bar chart as SVG, for documents: groups of bars on a logarithmic axis, each with its number."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Final, NamedTuple

_COLORS: Final = ("#9aa5b1", "#2563eb", "#93b4f5", "#c2410c")
_LEFT, _RIGHT, _TOP, _BAR, _GAP, _WIDTH = 110, 100, 70, 11, 12, 860


class Bar(NamedTuple):
    """One bar of a group; None where it was not measured."""

    name: str
    value: float | None


def draw_bars(title: str, groups: Mapping[str, Sequence[Bar]]) -> str:
    """Bars of one place in their groups have one color; those that no group has are left out."""
    values = [bar.value for bars in groups.values() for bar in bars if bar.value]
    names = list(dict.fromkeys(bar.name for bars in groups.values() for bar in bars if bar.value))
    low = 10 ** math.floor(math.log10(min(values, default=1)))
    high = 10 ** math.ceil(math.log10(max(values, default=10) * 1.001))
    height = _TOP + 20 + sum(_BAR * len(names) + _GAP for _ in groups)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img" '
        'font-family="sans-serif" font-size="11" fill="#1f2933">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{_WIDTH}" height="{height}" fill="#ffffff"/>',
        f'<text x="12" y="22" font-size="15">{escape(title)}</text>',
        *_legend(names),
        *_axis(low, high, height),
    ]
    top = _TOP
    for group, bars in groups.items():
        parts += _group(group, bars, names, top, (low, high))
        top += _BAR * len(names) + _GAP
    return "\n".join([*parts, "</svg>", ""])


def _x(value: float, low: float, high: float) -> float:
    share = (math.log10(value) - math.log10(low)) / (math.log10(high) - math.log10(low))
    return _LEFT + share * (_WIDTH - _LEFT - _RIGHT)


def _legend(names: Sequence[str]) -> list[str]:
    parts, x = [], 12
    for name, color in zip(names, _COLORS, strict=False):
        parts.append(f'<rect x="{x}" y="34" width="11" height="11" fill="{color}"/>')
        parts.append(f'<text x="{x + 16}" y="44">{escape(name)}</text>')
        x += 40 + 7 * len(name)
    return parts


def _axis(low: float, high: float, height: int) -> list[str]:
    """A line for each power of ten."""
    parts = []
    for power in range(round(math.log10(low)), round(math.log10(high)) + 1):
        x = _x(10.0**power, low, high)
        parts.append(f'<line x1="{x:.1f}" y1="{_TOP - 6}" x2="{x:.1f}" y2="{height - 16}" stroke="#e4e7eb"/>')
        parts.append(f'<text x="{x:.1f}" y="{_TOP - 10}" text-anchor="middle">{10**power:,}</text>')
    return parts


def _group(
    group: str, bars: Sequence[Bar], names: Sequence[str], top: int, ends: tuple[float, float]
) -> list[str]:
    middle = top + _BAR * len(names) / 2 + 4
    parts = [f'<text x="{_LEFT - 8}" y="{middle:.1f}" text-anchor="end">{escape(group)}</text>']
    for name, value in bars:
        if value:
            at, width = names.index(name), _x(value, *ends) - _LEFT
            y, color = top + _BAR * at, _COLORS[at % len(_COLORS)]
            parts.append(
                f'<rect x="{_LEFT}" y="{y}" width="{width:.1f}" height="{_BAR - 1}" fill="{color}"/>'
            )
            parts.append(f'<text x="{_LEFT + width + 5:.1f}" y="{y + 9}" font-size="9">{value:,.0f}</text>')
    return parts
