"""Positive. A rule allows 16 ports, live connections hold them all, further SYNs never leave the node.

As in a real run on Linux 6.18 with `--to-ports 20000-20063`: 229 SYNs lost, 228 of them with 64 of 64 in use.
"""

from __future__ import annotations

from backend.forensics.evidence.facts import Facts
from backend.forensics.tests import build_pool
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("critical", 10)


def build() -> Facts:
    return build_pool.facts(build_pool.capture(16, lost=10), build_pool.rule(16), build_pool.events(16))
