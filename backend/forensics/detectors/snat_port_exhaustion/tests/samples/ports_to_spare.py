"""Negative. The same rule and the same connections, four times as many ports."""

from __future__ import annotations

from backend.forensics.evidence.facts import Facts
from backend.forensics.tests import build_pool
from backend.forensics.tests.samples import Expected

EXPECTED = Expected(None)


def build() -> Facts:
    return build_pool.facts(build_pool.capture(16), build_pool.rule(64), build_pool.events(16))
