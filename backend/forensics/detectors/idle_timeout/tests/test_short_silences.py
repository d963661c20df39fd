"""Short silences: what was never answered after them, and what else got no answer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from backend.forensics.captures import Capture
from backend.forensics.detection.contract import Detection
from backend.forensics.detectors.idle_timeout.detector import detect
from backend.forensics.evidence.facts import gather_facts
from backend.forensics.messages import HeldMessages
from backend.forensics.round_trips import ROUND_TRIP_DTYPE, ROUND_TRIP_SCHEMA
from backend.forensics.signals import SENT_AGAIN
from backend.forensics.tests.build_anomalies import StumbleBuilder
from backend.forensics.tests.build_capture import MS, T0_NS

WAKE_MS = 60_000
AGAIN_MS = (200, 600, 1_400)


def _capture(*silences_s: float, survived_s: float = 1, answered: bool = False, repeats: int = 3) -> Capture:
    """One connection for each silence, whose next segment came again; and one that lived on."""
    builder, trips = StumbleBuilder(), list[tuple[int, float]]()
    for silence_s in silences_s:
        number, previous_ms = builder.connection(), 0
        trips.append((number, WAKE_MS - silence_s * 1_000 - 1))
        for after_ms in AGAIN_MS[:repeats]:
            wait = {"silence_ns": (after_ms - previous_ms) * MS, "payload_bytes": 200, "from_client": 1}
            builder.signal(number, (WAKE_MS + after_ms) * MS, SENT_AGAIN, sequence=9, **wait)
            previous_ms = after_ms
        if answered:
            trips.append((number, WAKE_MS + 1_400.0))
    alive = builder.connection()
    trips += [(alive, 0.0), (alive, survived_s * 1_000 + 1)]
    rows = np.zeros(len(trips), ROUND_TRIP_DTYPE)
    rows["connection"] = [number for number, _ in trips]
    rows["sent_ns"], rows["rtt_ns"] = [T0_NS + round(at_ms * MS) for _, at_ms in trips], MS
    columns = [pa.array(np.ascontiguousarray(rows[name])) for name in ROUND_TRIP_SCHEMA.names]
    table = pa.Table.from_arrays(columns, schema=ROUND_TRIP_SCHEMA)
    return replace(builder.build(), round_trips=HeldMessages(table))


def _found(capture: Capture) -> Detection:
    return detect(gather_facts([capture], []))


@pytest.mark.parametrize(("silence_s", "count"), [(5.1, 3), (4.9, 0)])
def test_data_that_is_never_answered_after_a_silence(silence_s: float, count: int) -> None:
    found = _found(_capture(silence_s, silence_s, silence_s)).findings
    assert sum(f.count for f in found) == count
    for finding in found:
        assert finding.severity == "warning"
        assert finding.measures["silence_min_s"] == silence_s
        assert finding.measures["survived_max_s"] == 1
        assert finding.measures["unanswered_segments"] == 3 * len(AGAIN_MS)


def test_an_answer_later_on_leaves_nothing_to_say() -> None:
    assert not _found(_capture(8, 8, 8, answered=True)).findings


def test_one_repetition_is_a_lost_segment() -> None:
    assert not _found(_capture(8, 8, 8, repeats=1)).findings


@pytest.mark.parametrize(("survived_s", "severity"), [(7.2, "warning"), (7.3, "info"), (20, "info")])
def test_a_silence_as_long_that_was_survived_refutes_it(survived_s: float, severity: str) -> None:
    (finding,) = _found(_capture(8, 8, 8, survived_s=survived_s)).findings
    assert finding.severity == severity


@pytest.mark.parametrize(("in_use", "severity"), [(1, "warning"), (2, "info")])
def test_connections_in_use_that_got_no_answer_either_refute_it(in_use: int, severity: str) -> None:
    (finding,) = _found(_capture(8, 8, 8, 8, *[0.5] * in_use)).findings
    assert (finding.count, finding.severity) == (4, severity)
