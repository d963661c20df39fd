"""What speaks for and against a storm, with weights."""

from __future__ import annotations

import numpy as np

from backend.forensics.diagnosis.contract import Weighed
from backend.forensics.diagnosis.metadata_signs import SIGNIFICANT_P, MetadataCase
from backend.forensics.evidence.requests.metadata_pattern import is_refresh
from backend.forensics.findings import plural
from backend.forensics.wording import p_text

WIDEST_WINDOW_S = 900
"""The widest refresh window of the SDKs whose sources were read (Java 1.x, botocore)."""
WINDOW_MARGIN_S = 2.0
"""`Expiration` has whole seconds, and the answer takes its time."""
EXCESS = 3.0
"""Times the refreshes that caching needs: several processes load their own."""


def weigh_evidence(case: MetadataCase) -> list[Weighed]:
    """All pieces that the packets give."""
    return [*_inside(case), *_repeated_while_valid(case), *_window(case), *_need(case), *_one_process(case)]


def _inside(case: MetadataCase) -> list[Weighed]:
    pattern, use = case.pattern, case.use
    if not len(use.served):
        return []
    frames = case.frames(is_refresh(use) & use.inside_any) or case.frames(is_refresh(use))
    p_value = pattern.refresh_chance_p
    text = (
        f"{pattern.requests_refreshing:,} of {plural(len(use.served), 'served request')} contained a "
        "credential refresh "
        f"({p_text(p_value)} for calls on a timer of their own)."
    )
    if p_value <= SIGNIFICANT_P:
        return [Weighed(2.0, text, frames, "calls that follow requests this closely belong to them")]
    return [Weighed(-2.5, text, frames, "calls that overlap requests by chance belong to a poller")]


def _repeated_while_valid(case: MetadataCase) -> list[Weighed]:
    pattern = case.pattern
    repeats = pattern.refreshes - 1
    if pattern.lifetime_s is None or repeats < 1:
        return []
    frames = case.frames(is_refresh(case.use))
    text = (
        f"{pattern.still_valid:,} of {plural(repeats, 'repeat')} came while the previous credentials had a "
        "minute or more left"
        "."
    )
    if pattern.still_valid * 2 >= repeats:
        return [Weighed(1.5, text, frames, "valid credentials need no refresh")]
    return [Weighed(-3.0, text, frames, "expired credentials must be refreshed")]


def _window(case: MetadataCase) -> list[Weighed]:
    pattern = case.pattern
    if pattern.lifetime_s is None:
        return []
    frames = case.frames(is_refresh(case.use) & ~np.isnan(case.use.calls.lifetime_s))
    left = f"They were returned with {pattern.lifetime_s:,.0f} s left"
    window = pattern.sdk.window_s if pattern.sdk else None
    if pattern.sdk is None or window is None:
        name = pattern.sdk.label if pattern.sdk else "the SDK (its user agent does not name it)"
        text = f"{left}; the refresh window of {name} is not known."
        if pattern.lifetime_s <= WIDEST_WINDOW_S + WINDOW_MARGIN_S:
            return [
                Weighed(
                    0.8, text, frames, "SDKs with a window of 900 s refresh such credentials on every use"
                )
            ]
        return [
            Weighed(
                -0.5, text, frames, "no known SDK refreshes so early: a provider may be created per request"
            )
        ]
    text = f"{left}; {pattern.sdk.label} refreshes below {window:,} s."
    if pattern.lifetime_s <= window + WINDOW_MARGIN_S:
        return [
            Weighed(
                1.8, text, frames, f"new credentials are already due for a refresh ({pattern.sdk.source})"
            )
        ]
    return [
        Weighed(-1.0, text, frames, "the window does not explain it: a provider may be created per request")
    ]


def _need(case: MetadataCase) -> list[Weighed]:
    pattern = case.pattern
    minutes = max(pattern.span_s, 1.0) / 60
    text = (
        f"{pattern.refreshes / minutes:,.1f} refreshes a minute over {pattern.span_s:,.1f} s, where "
        f"caching needs {pattern.refreshes_needed:,.1f} in total."
    )
    frames = case.frames(is_refresh(case.use))
    if pattern.excess_ratio > EXCESS:
        return [Weighed(0.5, text, frames, "one refresh a lifetime is enough for one process")]
    return [Weighed(-1.5, text, frames, "that is what caching needs")]


def _one_process(case: MetadataCase) -> list[Weighed]:
    number = case.pattern.refreshes_on_one_connection
    if number - 1 < EXCESS:
        return []
    text = f"{number:,} refreshes used one connection."
    frames = case.frames(is_refresh(case.use))
    return [
        Weighed(
            0.7, text, frames, "one process repeats them; starting processes open connections of their own"
        )
    ]
