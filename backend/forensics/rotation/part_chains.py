"""Which captures are parts of one: names propose, interfaces, hosts, addresses and times decide."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from backend.forensics.captures import Capture, VantagePoint
from backend.forensics.packets import ACK, SYN

GAP_NS: Final = 5_000_000_000
"""A writer opens its next file within milliseconds; seconds pass where a busy host compresses the last one first."""
QUIET_GAP_NS: Final = 60_000_000_000
"""Where nothing was to be recorded for as long before, a longer gap is allowed, but not more than this."""
OVERLAP_NS: Final = 1_000_000
"""Processors hand over packets up to tens of microseconds out of order, so the last of a part may be a little later
than the first of the next."""
STAMP_DIGITS: Final = 6
"""Digits of a time or a counter with a time at the end of a name: ``%H%M%S`` has six. ``node-2`` is no stamp."""

_PACKED = re.compile(r"\.(gz|zst|lz4|xz|bz2)$", re.IGNORECASE)
_NAME = re.compile(r"(?P<stem>.*?)(?P<end>\.(?:pcapng|pcap|cap|dmp|dump|ntar))(?:\.?\d{1,6})?", re.IGNORECASE)
_SAME_SYN: Final = ("sequence", "ip_id", "timestamp_value", "source_port", "destination_port")
_ODD: Final = np.uint64(0x9E3779B97F4A7C15)
"""2^64 divided by the golden ratio (Knuth, The Art of Computer Programming 3, section 6.4)."""
Keys = NDArray[np.uint64]
_STAMP = re.compile(r"(?:^|[._-])\d[\dTZ:+._-]*$")


def series_of(name: str) -> tuple[str, str, str] | None:
    """(folder, stem, ending) that all parts of a series have in common; None for a name that no writer numbers.

    ``x.pcap``, ``x.pcap1``, ``x_00001_20261121210500.pcap`` and ``x-2026-11-21T21:05:00.pcap.gz`` are of one series."""
    folder, _, base = name.rpartition("/")
    found = _NAME.fullmatch(_PACKED.sub("", base))
    if found is None:
        return None
    stem = found["stem"]
    stamp = _STAMP.search(stem)
    if stamp is not None and sum(each.isdigit() for each in stamp[0]) >= STAMP_DIGITS:
        stem = stem[: stamp.start()]
    return folder, stem, found["end"].lower()


def find_chains(captures: Sequence[Capture]) -> list[list[int]]:
    """Numbers of captures that are parts of one, by time; each list holds two or more. The order of `captures` does
    not matter."""
    candidates: dict[Hashable, list[int]] = {}
    for number, capture in enumerate(captures):
        series = series_of(capture.name)
        if series is not None and capture.packets and capture.buckets.size:
            candidates.setdefault((series, _recorded_how(capture)), []).append(number)
    chains = []
    for numbers in candidates.values():
        by_time = sorted(numbers, key=lambda n: (captures[n].first_ns, captures[n].last_ns, captures[n].name))
        chains += [chain for chain in _chains_of(captures, by_time) if len(chain) > 1]
    return sorted(chains)


def _chains_of(captures: Sequence[Capture], by_time: Sequence[int]) -> list[list[int]]:
    chains: list[list[int]] = []
    for number in by_time:
        if chains and _follows(captures[chains[-1][-1]], captures[number]):
            chains[-1].append(number)
        else:
            chains.append([number])
    return chains


def places_of(capture: Capture) -> list[Hashable]:
    """Of each vantage point what is the same in every part: what the file says of the interface, and its name or number
    among several. The only one of a file may be named after the file."""
    several = len(capture.vantage_points) > 1
    return [
        (
            _interface_of(point),
            point.interface_index,
            point.name if several and point.interface_index is None else "",
        )
        for point in capture.vantage_points
    ]


def _interface_of(point: VantagePoint) -> Hashable:
    stated = (point.link_type, point.stated_name, point.snap_length, point.capture_filter)
    return *stated, point.time_resolution_ns


def _recorded_how(capture: Capture) -> Hashable:
    """Equal for all parts of one capture. Kernel indexes appear only with their first packets."""
    points = list(zip(capture.vantage_points, places_of(capture), strict=True))
    plain = frozenset(key for point, key in points if point.interface_index is None)
    indexed = frozenset(_interface_of(point) for point, _ in points if point.interface_index is not None)
    return capture.host, capture.format, plain, indexed


def _follows(earlier: Capture, later: Capture) -> bool:
    if _overlap(earlier, later) or later.first_ns - earlier.last_ns > allowed_gap_ns(earlier, later):
        return False
    if _shares_packet(earlier, later):
        return False
    return _shares_index(earlier, later) and _shares_address(earlier, later)


def _overlap(earlier: Capture, later: Capture) -> bool:
    """Whether both were recording at one moment. Of several interfaces a writer takes one buffer after the other:
    each is in the order of time, all of them together are not."""
    ends, begins = _spans(earlier), _spans(later)
    shared = ends.keys() & begins.keys()
    if not shared:
        return earlier.last_ns - later.first_ns > OVERLAP_NS
    return any(ends[key][1] - begins[key][0] > OVERLAP_NS for key in shared)


def _spans(capture: Capture) -> dict[Hashable, tuple[int, int]]:
    """First and last packet of each vantage point that saw any."""
    points = zip(places_of(capture), capture.vantage_points, strict=True)
    return {key: (point.first_ns, point.last_ns) for key, point in points if point.packets}


def allowed_gap_ns(earlier: Capture, later: Capture) -> int:
    """`GAP_NS`, or as long as either was silent on its own, `QUIET_GAP_NS` at most."""
    return max(GAP_NS, min(QUIET_GAP_NS, max(longest_silence_ns(earlier), longest_silence_ns(later))))


def longest_silence_ns(capture: Capture) -> int:
    """Between two packets of the capture, from its time buckets."""
    starts = np.unique(capture.buckets["start_ns"])
    return int(np.diff(starts).max()) if len(starts) > 1 else 0


def _shares_index(earlier: Capture, later: Capture) -> bool:
    """A kernel interface index in common, where indexes are recorded."""
    of = [
        {p.interface_index for p in capture.vantage_points if p.interface_index is not None}
        for capture in (earlier, later)
    ]
    return bool(of[0] & of[1]) or not (of[0] or of[1])


def _shares_address(earlier: Capture, later: Capture) -> bool:
    """An address in common: what passes one interface has its host, its gateway or its servers in common."""
    of = [_addresses(capture) for capture in (earlier, later)]
    return not (len(of[0]) and len(of[1])) or bool(np.isin(of[0], of[1]).any())


def _addresses(capture: Capture) -> Keys:
    table = capture.connections
    ends = [_mixed(table[f"{end}_high"], table[f"{end}_low"]) for end in ("client", "server")]
    return np.unique(np.concatenate(ends))


def _shares_packet(earlier: Capture, later: Capture) -> bool:
    """A SYN that one interface recorded in both: two captures of one time, the clock of one of which is far off."""
    places = {key: number for number, key in enumerate(dict.fromkeys(places_of(earlier) + places_of(later)))}
    of = [_syns(capture, places) for capture in (earlier, later)]
    return bool(np.isin(of[0], of[1]).any())


def _syns(capture: Capture, places: Mapping[Hashable, int]) -> Keys:
    """A key for each SYN at each place; those that IP ID and TSval distinguish from one that was sent again."""
    rows = capture.handshakes
    plain = (rows["tcp_flags"] & (SYN | ACK)) == SYN
    syns = rows[plain & (rows["ip_id"] != 0) & (rows["timestamp_value"] != 0)]
    place = np.array([places[key] for key in places_of(capture)], np.uint64)[syns["vantage"]]
    return _mixed(place, *(syns[name] for name in _SAME_SYN))


def _mixed(*columns: NDArray[Any]) -> Keys:
    """One number for equal values of all columns; two different ones meet once in 2^64 / pairs."""
    mixed = np.zeros(len(columns[0]), np.uint64)
    for column in columns:
        mixed = (mixed ^ column.astype(np.uint64)) * _ODD
        mixed ^= mixed >> np.uint64(31)
    return mixed
