"""The instances of a finding as rows and events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backend.forensics.addresses import address_text
from backend.forensics.evidence.absence.losses import Loss
from backend.forensics.evidence.attempts.attempts import RetriedAttempt
from backend.forensics.findings import rfc3339
from backend.forensics.report import ColumnPart, TablePart

ROWS_SHOWN = 1_000
"""Of the table and of the events; measures show how many there are."""

_COLUMNS = (
    ("instance", ""),
    ("source", ""),
    ("destination", ""),
    ("first SYN", "UTC"),
    ("retransmitted after", "s"),
    ("connect", "ms"),
    ("outcome", ""),
    ("last seen", ""),
    ("input", ""),
    ("frame", ""),
    ("retransmission frame", ""),
)


def instance_table(losses: list[Loss]) -> TablePart:
    """One row per lost SYN, by time."""
    rows = [_row(number, loss) for number, loss in enumerate(losses[:ROWS_SHOWN], start=1)]
    columns = [ColumnPart(name=name, unit=unit) for name, unit in _COLUMNS]
    return TablePart(name="instances", columns=columns, rows=rows, rows_total=len(losses))


def _row(number: int, loss: Loss) -> list[Any]:
    first, delay_s = loss.transmission.first, loss.attempt.connect_delay_s
    return [
        number,
        str(first.source),
        str(first.destination),
        rfc3339(loss.transmission.time_ns),
        round((loss.retry.time_ns - loss.transmission.time_ns) / 1e9, 6) if loss.retry else None,
        round(delay_s * 1000, 3) if delay_s is not None else None,
        loss.attempt.outcome,
        loss.where,
        first.place.input,
        first.frame,
        loss.retry.first.frame if loss.retry else None,
    ]


def list_events(losses: list[Loss]) -> list[dict[str, Any]]:
    """The first `ROWS_SHOWN` retransmissions: each from the SYN that was lost to the SYN that was sent again."""
    events: list[dict[str, Any]] = []
    for number, loss in enumerate(losses, start=1):
        if loss.retry is None:
            continue
        if len(events) == ROWS_SHOWN:
            break
        first, again = loss.transmission.first, loss.retry.first
        events.append(
            {
                "start": rfc3339(loss.transmission.time_ns),
                "end": rfc3339(loss.retry.time_ns),
                "instance": number,
                "source": str(first.source),
                "destination": str(first.destination),
                "gap_s": round((loss.retry.time_ns - loss.transmission.time_ns) / 1e9, 6),
                "lost_at": loss.where,
                "input": first.place.input,
                "frames": [first.frame, again.frame],
            }
        )
    return events


def affected_sources(table: NDArray[np.void], attempts: Sequence[RetriedAttempt]) -> list[dict[str, Any]]:
    """Per source address: delayed attempts of all its attempts to that destination, which are `table`."""
    server = attempts[0].server
    delayed = Counter((a.client.high, a.client.low) for a in attempts)
    tried = Counter(zip(table["client_high"].tolist(), table["client_low"].tolist(), strict=True))
    places: dict[tuple[int, int], str] = {}
    for a in attempts:
        places.setdefault((a.client.high, a.client.low), a.transmissions[0].first.place.id)
    sources = []
    for (high, low), count in sorted(delayed.items(), key=lambda item: (-item[1], item[0])):
        sources.append(
            {
                "protocol": "tcp",
                "source": address_text(high, low),
                "destination": str(server),
                "vantage_point": places[high, low],
                "delayed": count,
                "attempts": tried[high, low],
            }
        )
    return sources
