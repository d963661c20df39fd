"""Backends of a service that answered, then failed every new connection, and then were not chosen any more.

Needs a vantage point on both sides of the translation: it shows which backend each connection was sent to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from backend.forensics.connections import NEVER
from backend.forensics.evidence.attempts.outer_ends import Ends, outer_ends
from backend.forensics.evidence.attempts.retried import Endpoint
from backend.forensics.evidence.attempts.sent_syns import Bools
from backend.forensics.evidence.clocks.grouped_rows import by_value
from backend.forensics.evidence.clocks.matched_packets import mix
from backend.forensics.evidence.clocks.sightings import Ints

if TYPE_CHECKING:
    from backend.forensics.evidence.facts import Facts

FAILED_LEAST: Final = 3
OPENED_LEAST: Final = 5
"""Before the first failure (connections): a backend that never answered was not removed meanwhile."""
OTHERS_LEAST: Final = 3
"""Connections to other backends while it failed."""
OTHERS_FAILED_MOST: Final = 0.1
"""Of these, as a ratio: with more it is no single backend that is gone."""
CHANCE_P: Final = 0.001
"""That a backend with its previous share of the connections is not chosen by chance."""
_PARTS: Final = ("high", "low", "port")


@dataclass(frozen=True)
class RemovedEndpoint:
    """Rows of `Attempts.table`."""

    service: Endpoint
    backend: Endpoint
    opened: Ints
    """To the backend, before the first failure."""
    failed: Ints
    refused: int
    """Of the failed, by RST."""
    after: int
    """Connections to the service behind the last failure, all to other backends."""
    p_value: float
    """That its share of them is 0 by chance."""
    lasted_s: float
    """From the first failed connection to the last."""
    first_ns: int
    last_ns: int


@dataclass(frozen=True)
class _Outcomes:
    """Beside `Attempts.table`; a connection that is neither may have ended with the capture."""

    ends: Ends
    opened: Bools
    failed: Bools


def find_removed_endpoints(facts: Facts) -> list[RemovedEndpoint]:
    """By service and backend, in the order of their keys. Linear in the attempts."""
    table = facts.attempts.table
    moved = table["rewritten_destination"]
    silent = (table["connect_delay_ns"] == NEVER) & ~table["established"]
    if np.count_nonzero(moved & silent) < FAILED_LEAST:
        return []
    ends = outer_ends(facts.attempts)
    outcomes = _Outcomes(ends, ends.opened, ~ends.opened & (ends.refused | (table["transmissions"] > 1)))
    rows = np.flatnonzero(moved & (outcomes.opened | outcomes.failed))
    services = by_value(rows, _key(table, rows))
    found = []
    for of_service in services.values():
        if np.count_nonzero(outcomes.failed[of_service]) < FAILED_LEAST:
            continue
        backends = by_value(of_service, mix(ends.high[of_service], ends.low[of_service]).view(np.int64))
        for of_backend in backends.values() if len(backends) > 1 else ():
            removed = _judge(table, outcomes, of_service, of_backend)
            if removed is not None:
                found.append(removed)
    return found


def _key(table: NDArray[np.void], rows: Ints) -> Ints:
    key: Ints = mix(*(table[f"server_{part}"][rows] for part in _PARTS)).view(np.int64)
    return key


def _judge(
    table: NDArray[np.void], outcomes: _Outcomes, of_service: Ints, of_backend: Ints
) -> RemovedEndpoint | None:
    failed = of_backend[outcomes.failed[of_backend]]
    opened = of_backend[outcomes.opened[of_backend]]
    if len(failed) < FAILED_LEAST or len(opened) < OPENED_LEAST or opened[-1] > failed[0]:
        return None
    # Rows of the table are in the order of their start.
    others = of_service[~np.isin(of_service, of_backend)]
    meanwhile = others[(others > failed[0]) & (others < failed[-1])]
    behind = others[others > failed[-1]]
    if len(meanwhile) < OTHERS_LEAST or outcomes.failed[meanwhile].mean() > OTHERS_FAILED_MOST:
        return None
    share = len(of_backend) / np.count_nonzero(of_service <= failed[-1])
    p_value = float((1 - share) ** len(behind))
    if p_value >= CHANCE_P or outcomes.failed[behind].mean() > OTHERS_FAILED_MOST:
        return None
    start_ns = table["start_ns"][failed]
    first, ends = int(failed[0]), outcomes.ends
    return RemovedEndpoint(
        Endpoint(*(int(table[f"server_{part}"][first]) for part in _PARTS)),
        Endpoint(int(ends.high[first]), int(ends.low[first]), int(ends.port[first])),
        opened, failed, int(np.count_nonzero(ends.refused[failed])), len(behind), p_value,
        float(start_ns[-1] - start_ns[0]) / 1e9, int(start_ns[0]), int(start_ns[-1]),
    )  # fmt: skip
