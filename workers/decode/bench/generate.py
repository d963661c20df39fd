"""Generates captures of millions of packets: complete TCP connections, interleaved, about 240 bytes each."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from workers.decode.bench.frames import frames_of
from workers.decode.bench.scripts import TRAFFIC, Script, Values, shortest

_JITTER_NS: Final = 10_000_000
_START_NS: Final = 1_760_000_000 * 1_000_000_000
_CONNECTIONS_A_SECOND: Final = 650
_OPENED_A_SECOND: Final = 25_000
_CHUNK_CONNECTIONS: Final = 20_000
_PCAP_HEADER: Final = bytes.fromhex("4d3cb2a1 0200 0400 00000000 00000000 00000400 01000000")


def _records(time_ns: Values, frames: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Frames with their pcap record headers in front."""
    length = frames.shape[1]
    header = np.empty((len(frames), 4), "<u4")
    header[:, 0] = time_ns // 1_000_000_000
    header[:, 1] = time_ns % 1_000_000_000
    header[:, 2] = header[:, 3] = length
    return np.concatenate([header.view(np.uint8).reshape(len(frames), 16), frames], axis=1)


def _played(
    number: Values, script: Script, rate: int, random: np.random.Generator
) -> tuple[Values, list[bytes]]:
    """All packets of these connections, of which `rate` begin a second: times and records, not yet in order of time."""
    time_ns = _START_NS + number * 1_000_000_000 // rate
    times: list[Values] = []
    records: list[bytes] = []
    for number_of_step, step in enumerate(script.steps):
        gap_us = step.gap_us
        jitter_ns = min(script.jitter * gap_us, _JITTER_NS)
        time_ns = time_ns + gap_us * 1000 + random.integers(0, jitter_ns + 1, len(number))
        block = _records(time_ns, frames_of(number, script, number_of_step, time_ns))
        times.append(time_ns)
        data, length = block.tobytes(), block.shape[1]
        records += [data[i : i + length] for i in range(0, len(data), length)]
    return np.concatenate(times), records


def generate(path: Path, packets: int, traffic: str = "long") -> None:
    """Writes a nanosecond pcap of exactly `packets` packets; the same arguments give the same file."""
    random = np.random.default_rng(1)
    partial = path.with_name(f".{path.name}.partial")
    shortest_script = shortest(traffic)
    left, first, rate = packets, 0, _OPENED_A_SECOND if traffic == "open" else _CONNECTIONS_A_SECOND
    late_ns, late = np.empty(0, np.int64), list[bytes]()
    with partial.open("wb") as file:
        file.write(_PCAP_HEADER)
        while left > 0:
            count = min(_CHUNK_CONNECTIONS, -(-left // shortest_script))
            number = np.arange(first, first + count, dtype=np.int64)
            first += count
            played = [_played(*part, rate, random) for part in TRAFFIC[traffic](number) if len(part[0])]
            times = np.concatenate([late_ns, *(times for times, _ in played)])
            records = [*late, *(record for _, records in played for record in records)]
            order = np.argsort(times, kind="stable")
            next_ns = _START_NS + first * 1_000_000_000 // rate
            # What comes after the next connections began is written among theirs.
            split = left if left <= len(order) else int(np.searchsorted(times[order], next_ns))
            file.write(b"".join([records[i] for i in order[:split]]))
            late_ns, late = times[order[split:]], [records[i] for i in order[split:]]
            left -= split
    partial.replace(path)


if __name__ == "__main__":
    generate(Path(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:4])
