"""Findings by the destination that they name, so that nobody goes through all of them for each of many destinations."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from backend.forensics.addresses import endpoint_text
from backend.forensics.cases.case import Case
from backend.forensics.evidence.attempts.retried import AttemptGroup, Endpoint
from backend.forensics.evidence.clocks.grouped_rows import is_among
from backend.forensics.evidence.clocks.matched_packets import mix
from backend.forensics.evidence.clocks.sorted_rows import distinct


class NamedFindings(tuple[Case, ...]):
    """All findings, in order."""

    @classmethod
    def of(cls, findings: Sequence[Case]) -> NamedFindings:
        """These; sorted once where all causes get what this returns."""
        return findings if isinstance(findings, cls) else cls(findings)

    @cached_property
    def _by_destination(self) -> dict[str, list[int]]:
        positions: dict[str, list[int]] = {}
        for position, finding in enumerate(self):
            if finding.flows:
                positions.setdefault(finding.target, []).append(position)
        return positions

    @cached_property
    def _keys(self) -> NDArray[np.uint64]:
        """Of the destinations that are an address and a port, sorted."""
        ends = []
        for name in self._by_destination:
            with suppress(ValueError):
                ends.append(Endpoint.of(name).words)
        columns = np.array(ends, np.uint64).reshape(-1, 3).T
        return distinct(mix(*columns))

    def named_by(self, attempts: AttemptGroup) -> set[str]:
        """The destinations of findings that these attempts asked for."""
        if not len(self._keys):
            return set()
        ends = attempts.asked
        hit = is_among(mix(*ends), self._keys)
        return {
            endpoint_text(*end) for end in set(zip(*(column[hit].tolist() for column in ends), strict=True))
        }

    def to(self, targets: Collection[str]) -> tuple[Case, ...]:
        """Those whose first destination is one of these, in order."""
        known = self._by_destination
        few = targets if len(targets) < len(known) else [name for name in known if name in targets]
        return tuple(self[n] for n in sorted(n for name in few for n in known.get(name, ())))


def findings_to(findings: Sequence[Case], *targets: str) -> tuple[Case, ...]:
    """Those whose first destination (address and port) is one of these, in order."""
    return NamedFindings.of(findings).to(targets)
