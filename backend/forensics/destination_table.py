"""The part of the report that two investigations are compared by: waits per destination, thinned to a fixed size."""

from __future__ import annotations

import numpy as np

from backend.forensics.addresses import endpoint_text
from backend.forensics.evidence.attempts.waits import DestinationWaits, Milliseconds
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.tcp.limited_by import ConnectionLimits
from backend.forensics.report import DestinationPart, DistributionPart
from backend.forensics.report_limits import LimitsPart

DESTINATIONS_LISTED = 20
VALUES_KEPT = 500
"""Samples kept of each distribution: a quantile of 500 is off by a fifth of a percent in rank, and 20 destinations
stay below a quarter of a megabyte."""


def list_destination_parts(facts: Facts) -> list[DestinationPart]:
    """The most used destinations, the most used first."""
    return [_part(waits, facts.connection_limits) for waits in facts.waits[:DESTINATIONS_LISTED]]


def _part(waits: DestinationWaits, limits: ConnectionLimits) -> DestinationPart:
    return DestinationPart(
        destination=endpoint_text(*waits.server),
        attempts=waits.attempts,
        sent_again=waits.sent_again,
        unopened=waits.unopened,
        distributions=[
            DistributionPart(quantity=quantity, samples=len(values), values=thinned(values))
            for quantity, values in waits.milliseconds.items()
        ],
        limits=_limits(waits, limits),
    )


def _limits(waits: DestinationWaits, limits: ConnectionLimits) -> LimitsPart | None:
    """Shares of the time of all connections together: a long one counts for more than a short one."""
    rows = limits.rows_to(waits.server)
    if not len(rows):
        return None
    open_ns = limits.total_ns[rows].astype(np.float64)
    ratios = {
        f"{name}_ratio": round(float(np.average(shares[rows], weights=open_ns)), 4)
        for name, shares in limits.limits.named()
    }
    return LimitsPart(connections=len(rows), seconds=round(float(open_ns.sum()) / 1e9, 6), **ratios)


def thinned(ascending: Milliseconds) -> list[float]:
    """At most `VALUES_KEPT` of the values, at even distances in rank, both ends included; to a microsecond."""
    if len(ascending) > VALUES_KEPT:
        ascending = ascending[np.linspace(0, len(ascending) - 1, VALUES_KEPT).round().astype(np.int64)]
    return [round(value, 3) for value in ascending.tolist()]
