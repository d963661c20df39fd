"""Times of one capture against the clock that all times of the report are on (docs/decisions/0007)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class CaptureClock:
    """How far the clock of a capture is ahead of the report's; both drift apart evenly."""

    first_ns: int = 0
    """Of the capture, on its own clock, as is the last."""
    last_ns: int = 0
    first_ahead_ns: int = 0
    """By how much its clock is ahead at its first packet, and at its last."""
    last_ahead_ns: int = 0

    @property
    def is_common(self) -> bool:
        """Whether its times are those of the report."""
        return self.first_ahead_ns == self.last_ahead_ns == 0

    def common(self, own_ns: int) -> int:
        """A time of the capture on the report's clock."""
        return own_ns - self._ahead_ns(own_ns)

    def own(self, common_ns: int) -> int:
        """A time of the report as the capture's clock showed it."""
        return common_ns + self._ahead_ns(common_ns + self._ahead_ns(common_ns + self.first_ahead_ns))

    def common_sql(self, column: str) -> str:
        """`common` of a column of own times, to the nanosecond."""
        if self.is_common:
            return column
        product = f"CAST({self._gained_ns} AS HUGEINT) * ({column} - {self.first_ns})"
        return f"CAST({column} - ({self.first_ahead_ns} + ({product}) // {self._span_ns}) AS BIGINT)"

    @property
    def _span_ns(self) -> int:
        return max(1, self.last_ns - self.first_ns)

    @property
    def _gained_ns(self) -> int:
        return self.last_ahead_ns - self.first_ahead_ns

    def _ahead_ns(self, own_ns: int) -> int:
        product = self._gained_ns * (own_ns - self.first_ns)
        drifted = abs(product) // self._span_ns  # towards 0, as `//` of DuckDB's
        return self.first_ahead_ns + (drifted if product >= 0 else -drifted)


COMMON = CaptureClock()
"""The report's own."""
