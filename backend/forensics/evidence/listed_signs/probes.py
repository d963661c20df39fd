"""Facts of round trips that a tool measured or tcpdump printed: targets that gave no reply."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from backend.forensics.dumps import ProbeSeries
from backend.forensics.dumps.probes import NOT_SHOWN, PROBE_REFUSED
from backend.forensics.evidence.counters import DumpInput
from backend.forensics.evidence.kernel_signs import Line
from backend.forensics.evidence.listed_signs.sign import ListingSign, ReadSigns
from backend.forensics.private_words import of_object

_PROBES_LEAST: Final = 2
_LOST_RATIO_LEAST: Final = 0.05
"""Below it a first request that waited for ARP explains the loss."""
_LINES_MOST: Final = 50
_SERIES_MOST: Final = 5


def echo_signs(dumps: Sequence[DumpInput]) -> Iterator[ListingSign]:
    """Targets of `ping`, and of echo requests that tcpdump printed, which did not reply to all."""
    signs = [sign for each in dumps for sign in _of_listing(each)]
    signs.sort(key=lambda sign: -sign.count)
    yield from signs[:_SERIES_MOST]


def _of_listing(each: DumpInput) -> Iterator[ListingSign]:
    rows = each.dump.probes.rows
    for number, series in enumerate(each.dump.probe_series):
        if series.kind != "icmp" or series.tool not in ("ping", "tcpdump"):
            continue
        own = rows[rows["series"] == number]
        replied = max(int((own["rtt_ns"] != NOT_SHOWN).sum()), series.received or 0)
        refused = own[(own["marks"] & PROBE_REFUSED) != 0]
        sent = max(series.sent or 0, len(own))
        lost = sent - replied
        if sent < _PROBES_LEAST or lost < _LOST_RATIO_LEAST * sent or lost < 1:
            continue
        lines = (
            (each.input, series.line),
            *((each.input, int(line)) for line in refused["line"][:_LINES_MOST]),
        )
        yield _sign(series, sent, lost, len(refused), lines)


def _sign(series: ProbeSeries, sent: int, lost: int, refused: int, lines: tuple[Line, ...]) -> ListingSign:
    target = of_object(series.address or series.target) if series.address or series.target else "the target"
    text = f"{lost:,} of {sent:,} ICMP echo requests to {target} got no reply"
    if refused:
        text += f", {refused:,} of them an ICMP error instead"
    return ListingSign(
        "echo", "warning" if lost == sent else "info", "ICMP echo requests without a reply", f"{text}.", lines, lost,
        "whether the requests or the replies were lost, and where",
        f"tcpdump -eni any icmp and host {series.address or 'ADDRESS'}   # on both hosts",
    )  # fmt: skip


PROBE_SIGNS: Final[tuple[ReadSigns, ...]] = (echo_signs,)
