"""Generates captures of millions of packets: complete TCP connections, interleaved, about 240 bytes each."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

# What one connection sends, in order: (from the client, TCP flags, payload bytes, µs since the last packet).
_SYN, _SYN_ACK, _ACK, _DATA, _FIN = 0x02, 0x12, 0x10, 0x18, 0x11
_OPEN: Final = ((True, _SYN, 0, 0), (False, _SYN_ACK, 0, 300), (True, _ACK, 0, 20))
_REQUESTS: Final = (
    (True, _DATA, 220, 50), (False, _ACK, 0, 290), (False, _DATA, 1000, 2000), (False, _DATA, 120, 5),
    (True, _ACK, 0, 310), (True, _DATA, 180, 9000), (False, _DATA, 300, 1800), (True, _ACK, 0, 280),
    (True, _DATA, 140, 4000), (False, _DATA, 120, 1500), (True, _ACK, 0, 290),
)  # fmt: skip
_CLOSE: Final = ((True, _FIN, 0, 3000), (False, _FIN, 0, 400), (True, _ACK, 0, 30))
_SCRIPT: Final = (*_OPEN, *_REQUESTS, *_REQUESTS, *_REQUESTS, *_CLOSE)
_HEADER_BYTES: Final = 66  # Ethernet, IPv4, TCP with the time stamp option
_START_NS: Final = 1_760_000_000 * 1_000_000_000
_CONNECTIONS_A_SECOND: Final = 650
_CHUNK_CONNECTIONS: Final = 20_000
_SERVERS: Final = 40
_PCAP_HEADER: Final = bytes.fromhex("4d3cb2a1 0200 0400 00000000 00000000 00000400 01000000")

Values = NDArray[np.int64]


def _put(frames: NDArray[np.uint8], at: int, width: int, values: Values | int) -> None:
    """Writes numbers in network order into the same bytes of all frames."""
    for i in range(width):
        frames[:, at + i] = np.asarray(values) >> (8 * (width - 1 - i)) & 0xFF


def _endpoints(number: Values, from_client: bool) -> tuple[Values, Values, Values, Values]:
    """(source, source port, destination, destination port) of connections by their number."""
    client = 0x0A2A0000 | (number * 7919 % 250 + 2)
    client_port = 1024 + number % 60000
    server = 0x0A500000 | (number // 60000 * 13 + number % _SERVERS + 1)
    server_port = np.full_like(number, 443)
    if from_client:
        return client, client_port, server, server_port
    return server, server_port, client, client_port


def _tcp(frames: NDArray[np.uint8], number: Values, step: int, time_ns: Values) -> None:
    """Sequence numbers count what the script has sent before `step`."""
    from_client, flags, _, _ = _SCRIPT[step]
    sent = [0, 0]
    for sender, sent_flags, payload, _ in _SCRIPT[:step]:
        sent[sender] += payload + (1 if sent_flags & 3 else 0)
    isn = (number * 2654435761 & 0xFFFFFFFF, number * 2246822519 & 0xFFFFFFFF)
    _put(frames, 34, 2, _endpoints(number, from_client)[1])
    _put(frames, 36, 2, _endpoints(number, from_client)[3])
    _put(frames, 38, 4, isn[from_client] + sent[from_client] & 0xFFFFFFFF)
    _put(frames, 42, 4, (isn[not from_client] + sent[not from_client] & 0xFFFFFFFF) if flags & 0x10 else 0)
    _put(frames, 46, 2, 0x8000 | flags)
    _put(frames, 48, 2, 501)
    frames[:, 54:58] = (1, 1, 8, 10)
    _put(frames, 58, 4, time_ns // 1_000_000 & 0xFFFFFFFF)
    _put(frames, 62, 4, time_ns // 1_000_000 - 1 & 0xFFFFFFFF)


def _frames(number: Values, step: int, time_ns: Values) -> NDArray[np.uint8]:
    """The headers of one step of the script, for many connections."""
    from_client, _, payload, _ = _SCRIPT[step]
    frames = np.zeros((len(number), _HEADER_BYTES + payload), np.uint8)
    source, _, destination, _ = _endpoints(number, from_client)
    frames[:, 0:12] = (2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2)
    frames[:, 12:16] = (8, 0, 0x45, 0)
    _put(frames, 16, 2, _HEADER_BYTES - 14 + payload)
    _put(frames, 18, 2, number * 31 + step + 1 & 0xFFFF)
    frames[:, 20:24] = (0x40, 0, 64, 6)
    _put(frames, 26, 4, source)
    _put(frames, 30, 4, destination)
    _tcp(frames, number, step, time_ns)
    frames[:, _HEADER_BYTES:] = 0x61 + step
    return frames


def _records(time_ns: Values, frames: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Frames with their pcap record headers in front."""
    length = frames.shape[1]
    header = np.empty((len(frames), 4), "<u4")
    header[:, 0] = time_ns // 1_000_000_000
    header[:, 1] = time_ns % 1_000_000_000
    header[:, 2] = header[:, 3] = length
    return np.concatenate([header.view(np.uint8).reshape(len(frames), 16), frames], axis=1)


def _chunk(first: int, count: int, random: np.random.Generator) -> tuple[Values, list[bytes]]:
    """All packets of `count` connections: times and records, not yet in order of time."""
    number = np.arange(first, first + count, dtype=np.int64)
    time_ns = _START_NS + number * 1_000_000_000 // _CONNECTIONS_A_SECOND
    times: list[Values] = []
    records: list[bytes] = []
    for step, (_, _, _, gap_us) in enumerate(_SCRIPT):
        time_ns = time_ns + gap_us * 1000 + random.integers(0, 400 * gap_us + 1, count)
        block = _records(time_ns, _frames(number, step, time_ns))
        times.append(time_ns)
        data, length = block.tobytes(), block.shape[1]
        records += [data[i : i + length] for i in range(0, len(data), length)]
    return np.concatenate(times), records


def generate(path: Path, packets: int) -> None:
    """Writes a nanosecond pcap of exactly `packets` packets; the same number gives the same file."""
    random = np.random.default_rng(1)
    partial = path.with_name(f".{path.name}.partial")
    left, first = packets, 0
    with partial.open("wb") as file:
        file.write(_PCAP_HEADER)
        while left > 0:
            count = min(_CHUNK_CONNECTIONS, -(-left // len(_SCRIPT)))
            times, records = _chunk(first, count, random)
            order = np.argsort(times, kind="stable")[:left]
            file.write(b"".join([records[i] for i in order]))
            left -= len(order)
            first += count
    partial.replace(path)


if __name__ == "__main__":
    generate(Path(sys.argv[1]), int(sys.argv[2]))
