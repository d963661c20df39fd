"""Round trips that a probing tool printed: hping3, ping, dig, curl."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from backend.forensics.dumps.table import RecordTable

ProbeKind = Literal["icmp", "tcp", "udp", "dns", "http"]

NOT_SHOWN: Final = -1
"""A time that the listing does not give."""

PROBE_CORRECTED: Final = 1
"""Bit of `marks`: the tool printed a round trip that cannot be, and it was put right."""
PROBE_REFUSED: Final = 2
"""Bit of `marks`: answered by a RST or an ICMP error."""

PROBE_DTYPE: Final = np.dtype(
    [
        ("line", "<u4"),  # 1-based, in the whole text
        ("series", "<u2"),  # index into `Dump.probe_series`
        ("marks", "u1"),
        ("sequence", "<u4"),  # as printed; of tools that print none, counted from 0
        ("sent_ns", "<i8"),  # UTC, ns since 1970; NOT_SHOWN: only the order of the sequence shows
        ("rtt_ns", "<i8"),  # NOT_SHOWN: no answer came
    ]
)
"""One probe, in the order of the lines, which is that in which the answers came."""


@dataclass(frozen=True)
class Probe:
    """A row of the table in words; for many use the columns."""

    line: int
    series: int
    sequence: int
    sent_ns: int | None
    rtt_ms: float | None
    marks: int = 0


@dataclass(frozen=True)
class ProbeSeries:
    """One run of a tool against one target."""

    line: int
    tool: str
    kind: ProbeKind
    target: str
    """As the tool was given it: a name, an address, a URL; "" when not shown."""
    address: str = ""
    """Who was asked, in the shortest form; "" when not shown."""
    port: int | None = None
    sent: int | None = None
    """Probes sent, as the tool's last lines say."""
    received: int | None = None
    """Replies, as the same lines say: with `-q`, and in cut texts, none is listed."""
    interval_s: float | None = None
    """Between two probes, where the tool shows its whole duration."""
    data_bytes: int | None = None
    """Of each ICMP echo request, behind its header; None when not shown."""
    path_mtu: int | None = None
    """The MTU in bytes that an ICMP error, or the host itself, named for it."""


class ProbeTable(RecordTable[Probe]):
    """Probes of one dump: `rows` is an array of PROBE_DTYPE, iterating gives Probe."""

    dtype = PROBE_DTYPE

    @classmethod
    def of(cls, probes: Iterable[Probe]) -> ProbeTable:
        """A table made of probes in words."""
        given = [
            (
                each.line,
                each.series,
                each.marks,
                each.sequence,
                NOT_SHOWN if each.sent_ns is None else each.sent_ns,
                NOT_SHOWN if each.rtt_ms is None else round(each.rtt_ms * 1e6),
            )
            for each in probes
        ]
        return cls(np.array(given, PROBE_DTYPE))

    def _record(self, row: np.void) -> Probe:
        return Probe(
            line=int(row["line"]),
            series=int(row["series"]),
            sequence=int(row["sequence"]),
            sent_ns=None if row["sent_ns"] == NOT_SHOWN else int(row["sent_ns"]),
            rtt_ms=None if row["rtt_ns"] == NOT_SHOWN else int(row["rtt_ns"]) / 1e6,
            marks=int(row["marks"]),
        )
