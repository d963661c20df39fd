"""Time stamps counted around the lost SYNs alone agree with a walk over all SYNs of the host."""

import numpy as np
import pytest

from backend.forensics.captures import Capture
from backend.forensics.diagnosis.causes.tests.build_losses import HOST, OTHER_HOST, Losses
from backend.forensics.evidence.absence.destination import Destination
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.evidence.losses.time_stamps import MEMORY_NS, StampCounts


def random_capture(seed: int) -> Capture:
    """Few sources, so that many SYNs follow one of theirs; stamps that go back, wrap, and are missing."""
    random = np.random.default_rng(seed)
    capture = Losses("cni0", "eth0")
    for _ in range(60):
        server = str(random.choice([f"{HOST}:80", f"{HOST}:8080", OTHER_HOST]))
        client = f"10.0.0.{random.integers(1, 4)}"
        what = random.integers(0, 4)
        if what == 0:
            capture.silent(server, 1, client=client, gaps_s=(1, 2, 70))
        elif what == 1:
            capture.late(server, 2, client=client, seen_at=int(random.integers(1, 3)))
        else:
            capture.usual(server, 1, client=client)
    built = capture.build()
    stamps = random.choice([0, 5, 100, 2**31 + 50, 2**32 - 3], len(built.handshakes))
    built.handshakes["timestamp_value"] = stamps
    return built


def walked(facts: Facts, destination: Destination) -> StampCounts:
    """One SYN after the other, with what the host would remember."""
    seen, place = facts.attempts.sightings, destination.outermost.number
    frames = {
        s.frame for x in destination.losses for s in x.transmission.sightings if s.place.number == place
    }
    end = destination.endpoint
    rows = seen.rows[(seen.transmission >= 0) & (seen.place == place)]
    rows = rows[(rows["destination_high"] == end.high) & (rows["destination_low"] == end.low)]
    rows = rows[rows["timestamp_value"] != 0]
    accepted: dict[tuple[int, int], tuple[int, int]] = {}
    counts = dict.fromkeys([(lower, lost) for lower in (True, False) for lost in (True, False)], 0)
    for row in rows[np.argsort(rows["time_ns"], kind="stable")]:
        source, lost = (int(row["source_high"]), int(row["source_low"])), int(row["frame"]) in frames
        time_ns, stamp = int(row["time_ns"]), int(row["timestamp_value"])
        before = accepted.get(source)
        if before is not None and time_ns - before[0] < MEMORY_NS:
            counts[0 < (before[1] - stamp) % 2**32 < 2**31, lost] += 1
        if not lost:
            accepted[source] = time_ns, stamp
    return StampCounts(counts[True, True], counts[True, False], counts[False, True], counts[False, False])


@pytest.mark.parametrize("seed", range(8))
def test_counts_are_those_of_a_walk(seed: int) -> None:
    facts = gather_facts([random_capture(seed)], [])
    assert facts.destinations
    some = [walked(facts, destination) for destination in facts.destinations]
    assert [facts.stamped_syns.count(destination) for destination in facts.destinations] == some
    assert any(each.lower_lost and each.higher_lost for each in some)
