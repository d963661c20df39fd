"""Decodes a capture file: packets to Parquet, connections, handshakes and time buckets to memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from backend.forensics.captures import Capture, RecordedTimes, VantagePoint
from backend.forensics.connections import NEVER
from backend.forensics.messages import Messages
from backend.limits import Limits
from workers.decode.credentials import find_credentials
from workers.decode.digest import running_digest
from workers.decode.identify import Identified, identify_file
from workers.decode.interfaces import COOKED_2, Interface
from workers.decode.loop.records import NO_INDEX
from workers.decode.open_source import open_source
from workers.decode.pcap import read_pcap, read_snoop
from workers.decode.pcapng import read_pcapng
from workers.decode.reading import DecodeCancelled, DecodeProgress, Reading, Watcher
from workers.decode.tables import merge_buckets
from workers.decode.tunnels import list_tunnels
from workers.decode.undecoded import link_type_name, undecoded_by_name
from workers.decode.warm import ensure_compiled

__all__ = ["DecodeCancelled", "DecodeProgress", "NotACapture", "decode_capture"]

_READERS: Final[dict[str, Callable[[Reading], None]]] = {
    "pcap": read_pcap,
    "pcapng": read_pcapng,
    "snoop": read_snoop,
}
_SUFFIXES: Final = (
    ".gz", ".zst", ".lz4", ".xz", ".bz2", ".pcap", ".pcapng", ".cap", ".dump", ".dmp", ".ntar", ".snoop",
)  # fmt: skip


class NotACapture(ValueError):  # noqa: N818 - says what the file is
    """The file is no capture; the text says what it is."""


def _stem(name: str) -> str:
    """A file's name without the endings of captures."""
    stem = Path(name).name
    for _ in range(2):
        for suffix in _SUFFIXES:
            if stem.lower().endswith(suffix) and len(stem) > len(suffix):
                stem = stem[: -len(suffix)]
    return stem


def _own_name(interface: Interface) -> str:
    return interface.name or interface.description


def interface_names(interfaces: Sequence[Interface], file_name: str) -> list[str]:
    """Each interface's own name; the file's for a single nameless one. Repeated names are distinguished.

    `interfaces` are in the order of the file. Linear: a hostile file describes as many as it may."""
    if len(interfaces) == 1:
        return [_own_name(interfaces[0]) or _stem(file_name)]
    in_section = Counter[int]()
    repeated = Counter[tuple[int, str]]()
    names = []
    for interface in interfaces:
        own = _own_name(interface)
        name = own or f"interface {in_section[interface.section]}"
        in_section[interface.section] += 1
        repeated[interface.section, own] += 1
        if own and repeated[interface.section, own] > 1:
            name += f" ({repeated[interface.section, own]})"
        if interface.section > 0:
            name += f" (section {interface.section + 1})"
        names.append(name)
    return names


def machine_numbers(interfaces: Sequence[Interface]) -> list[int]:
    """Of each interface a number, equal for those that one machine recorded.

    A program that records several interfaces names each (pcapng, if_name) and no two alike; interfaces without a name
    or with a repeated one, and those of a merged file, come from captures of nobody knows how many machines."""
    repeated = Counter((interface.section, _own_name(interface)) for interface in interfaces)
    numbers: dict[tuple[int, int], int] = {}
    found = []
    for interface in interfaces:
        name = _own_name(interface)
        alone = interface.merged or not name or repeated[interface.section, name] > 1
        key = (interface.section, interface.number if alone else -1)
        found.append(numbers.setdefault(key, len(numbers)))
    return found


def _vantage_name(name: str, index: int, *, is_only_interface: bool) -> str:
    if index == NO_INDEX:
        return name
    return f"interface {index}" if is_only_interface else f"interface {index} ({name})"


def _vantage_point(
    number: int, record: np.void, reading: Reading, names: Sequence[str], machines: Sequence[int]
) -> VantagePoint:
    interface = reading.interfaces[int(record["interface"])]
    index = int(record["index"])
    seen = int(record["packets"]) > 0
    return VantagePoint(
        index=number,
        name=_vantage_name(names[interface.number], index, is_only_interface=len(names) == 1),
        link_type=link_type_name(interface.link_type),
        interface_index=None if index == NO_INDEX else index,
        packets=int(record["packets"]),
        first_ns=int(record["first_ns"]) if seen else NEVER,
        last_ns=int(record["last_ns"]) if seen else NEVER,
        time_resolution_ns=interface.resolution_ns,
        dropped_by_capture=interface.dropped,
        snap_length=interface.stated_snap_length,
        capture_filter=interface.filter,
        stated_name=_own_name(interface),
        machine=machines[interface.number],
    )


def _vantage_points(reading: Reading, file_name: str) -> tuple[VantagePoint, ...]:
    """Those that packets were seen at, then the interfaces that recorded nothing: that, too, is evidence."""
    names, machines = interface_names(reading.interfaces, file_name), machine_numbers(reading.interfaces)
    records = reading.tables.vantages[: int(reading.state["vantages"])]
    points = [_vantage_point(i, record, reading, names, machines) for i, record in enumerate(records)]
    used = {int(record["interface"]) for record in records}
    for interface in reading.interfaces:
        if interface.number not in used and interface.link_type != COOKED_2:
            silent = np.zeros(1, records.dtype)[0]
            silent["interface"], silent["index"] = interface.number, NO_INDEX
            points.append(_vantage_point(len(points), silent, reading, names, machines))
    return tuple(points)


def _undecoded(reading: Reading) -> dict[str, int]:
    named = undecoded_by_name(reading.tables.undecoded)
    for link_type, count in reading.undecoded_links.items():
        named[f"link type {link_type_name(link_type).removeprefix('link type ')}"] = count
    return named


def _capture(
    reading: Reading, messages: Messages, identified: Identified, *, name: str, sha256: str, bytes_total: int
) -> Capture:
    points = _vantage_points(reading, name)
    seen = [point for point in points if point.packets]
    tables = reading.tables
    packets = reading.packets
    handshakes = tables.handshakes.view()
    return Capture(
        name=name,
        sha256=sha256,
        format=reading.format_variant or identified.format,
        bytes=bytes_total,
        packets=packets,
        first_ns=min((point.first_ns for point in seen), default=NEVER),
        last_ns=max((point.last_ns for point in seen), default=NEVER),
        vantage_points=points,
        connections=tables.connection_table(),
        handshakes=handshakes,
        messages=messages,
        signals=reading.signals.finish(),
        buckets=merge_buckets(tables.buckets),
        undecoded=_undecoded(reading),
        address_names=tuple(reading.address_names),
        tunnels=list_tunnels(tables),
        times=_times(reading, handshakes["time_ns"]),
        warnings=(*reading.warnings, *reading.notes),
        error=reading.warnings[0] if reading.warnings and packets == 0 else None,
    )


_EVEN_FROM: Final = 10
"""Packets from which equal gaps are no chance: a clock that ticks in microseconds repeats none of them nine times."""


def _backwards(time_ns: NDArray[np.int64]) -> int:
    """Handshake packets earlier than the one before in the file, where most of them are."""
    earlier = int(np.count_nonzero(np.diff(time_ns) < 0))
    return earlier if len(time_ns) >= _EVEN_FROM and 2 * earlier > len(time_ns) else 0


def _times(reading: Reading, handshake_ns: NDArray[np.int64]) -> RecordedTimes:
    state = reading.state
    timed = int(state["frame"]) - int(state["untimed"])
    even = timed >= _EVEN_FROM and not state["other_gaps"]
    names = ("untimed", "first_untimed", "steps", "first_step", "last_step", "largest_step_ns")
    return RecordedTimes(
        **{name: int(state[name]) for name in names},
        even_gap_ns=int(state["gap_ns"]) if even else None,
        backwards=_backwards(handshake_ns),
    )


def _identified(path: Path) -> Identified:
    identified = identify_file(path)
    if identified.kind != "capture":
        raise NotACapture(identified.reason or "a text, not a capture")
    return identified


def decode_capture(
    path: Path,
    *,
    name: str,
    sha256: str | None,
    packets_path: Path | None,
    messages_folder: Path | None = None,
    progress: Callable[[DecodeProgress], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
    limits: Limits = Limits(),  # noqa: B008 - frozen
) -> Capture:
    """Decodes a pcap, pcapng or snoop file, compressed or not, in one pass and bounded memory.

    `sha256` is that of the stored file where it is known; else it is computed beside the decoding.
    `packets_path` receives the packet table (Parquet, the columns of PACKET_DTYPE), or None for no table; it
    appears only when complete. `messages_folder` receives the message tables, one Parquet file a kind; None keeps
    them in memory, large ones in a temporary file. Damage never raises: what came before is kept, `warnings` say
    where it broke, `error` is set when nothing could be read because of it. Progress is reported once per 16 MiB.
    Raises NotACapture, DecodeCancelled, OSError.
    """
    identified = _identified(path)
    ensure_compiled()
    bytes_total = path.stat().st_size
    watcher = Watcher(bytes_total, progress, cancelled)
    with open_source(path, identified.compression, limits) as source, running_digest() as digest:
        # Of a compressed file the stored bytes do not pass here.
        passing = digest if sha256 is None and not identified.compression else None
        reading = Reading(source, watcher, packets_path, messages_folder, passing)
        try:
            reading.start()
            _READERS[identified.format](reading)
            messages, round_trips = reading.finish()
        except BaseException:
            reading.abandon()
            raise
        if sha256 is None:
            sha256 = digest.finish(path, source.bytes_done if passing else 0)
    if progress is not None:
        progress(DecodeProgress(reading.packets, bytes_total, bytes_total))
    seen = reading.tables.used_connections()["credentials"] != 0
    capture = _capture(reading, messages, identified, name=name, sha256=sha256, bytes_total=bytes_total)
    signs = find_credentials(capture, seen, int(reading.state["loose_credentials"]))
    return replace(capture, round_trips=round_trips, credentials=signs)
