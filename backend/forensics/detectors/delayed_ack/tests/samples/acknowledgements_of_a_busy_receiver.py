"""Look-alike. A receiver that is short of processor time acknowledges after 38 to 51 ms, and not by a timer."""

from __future__ import annotations

from backend.forensics.detectors.delayed_ack.thresholds import Thresholds
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.tests.build_writes import WriteBuilder
from backend.forensics.tests.samples import Expected

EXPECTED = Expected(None)
LOOSENED = Thresholds(spread_ms=20.0)
WRONG_CLAIM = "a timer held the acknowledgements back"


def build() -> Facts:
    builder = WriteBuilder()
    connection = builder.connect(0)
    for n in range(40):
        builder.write_twice(connection, 100 + 300 * n, held_ms=38.5 + n * 5 % 13)
    return gather_facts([builder.build()], [])
