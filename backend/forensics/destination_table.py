"""The part of the report that two investigations are compared by: waits per destination, thinned to a fixed size."""

from __future__ import annotations

import numpy as np

from backend.forensics.addresses import endpoint_text
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.waits import DestinationWaits, Milliseconds
from backend.forensics.report import DestinationPart, DistributionPart

DESTINATIONS_LISTED = 20
VALUES_KEPT = 500
"""Samples kept of each distribution: a quantile of 500 is off by a fifth of a percent in rank, and 20 destinations
stay below a quarter of a megabyte."""


def list_destination_parts(facts: Facts) -> list[DestinationPart]:
    """The most used destinations, the most used first."""
    return [_part(waits) for waits in facts.waits[:DESTINATIONS_LISTED]]


def _part(waits: DestinationWaits) -> DestinationPart:
    return DestinationPart(
        destination=endpoint_text(*waits.server),
        attempts=waits.attempts,
        sent_again=waits.sent_again,
        unopened=waits.unopened,
        distributions=[
            DistributionPart(quantity=quantity, samples=len(values), values=thinned(values))
            for quantity, values in waits.milliseconds.items()
        ],
    )


def thinned(ascending: Milliseconds) -> list[float]:
    """At most `VALUES_KEPT` of the values, at even distances in rank, both ends included; to a microsecond."""
    if len(ascending) > VALUES_KEPT:
        ascending = ascending[np.linspace(0, len(ascending) - 1, VALUES_KEPT).round().astype(np.int64)]
    return [round(value, 3) for value in ascending.tolist()]
