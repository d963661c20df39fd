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
# Thirteen packets, so that 10 M packets are 770,000 connections; the same when the first SYN was lost; and a SYN that
# nobody answers.
_SHORT_SCRIPT: Final = (*_OPEN, *_REQUESTS[:7], *_CLOSE)
_LOST: Final = ((True, _SYN, 0, 0), (True, _SYN, 0, 1_000_000))
_RETRIED_SCRIPT: Final = (*_LOST, *_OPEN[1:], *_SHORT_SCRIPT[3:])
_SCAN_SCRIPT: Final = (*_LOST, (True, _SYN, 0, 2_000_000))
# Ten exchanges on one connection, and one lookup.
_REQUEST: Final = b"GET /api/v1/items/%06d HTTP/1.1\r\nHost: shop.example\r\nAccept: */*\r\n\r\n" % 1
_RESPONSE: Final = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 64\r\n\r\n" + b"x" * 64
_EXCHANGE: Final = ((True, _DATA, len(_REQUEST), 2000), (False, _DATA, len(_RESPONSE), 1500))
_HTTP_SCRIPT: Final = (*_OPEN, *(_EXCHANGE * 10), *_CLOSE)
_NAME: Final = b"\x08svc-0000\x07default\x03svc\x07cluster\x05local\x00"
_QUESTION: Final = _NAME + b"\0\1\0\1"  # type A, class IN
_ANSWER: Final = b"\xc0\x0c\0\1\0\1\0\0\0\x1e\0\4\x0a\x60\0\1"
_DNS_HEADERS: Final = (b"\1\0\0\1\0\0\0\0\0\0", b"\x85\x80\0\1\0\1\0\0\0\0")
_DNS_SCRIPT: Final = ((True, 0, 12 + len(_QUESTION), 0), (False, 0, 12 + len(_QUESTION + _ANSWER), 400))
# One exchange, another ten seconds later, and no end.
_OPEN_SCRIPT: Final = (
    *_OPEN, (True, _DATA, 180, 50), (False, _DATA, 300, 1800), (True, _ACK, 0, 280),
    (True, _DATA, 140, 10_000_000), (False, _ACK, 0, 290),
)  # fmt: skip
_JITTER_NS: Final = 10_000_000
_HEADER_BYTES: Final = 66  # Ethernet, IPv4, TCP with the time stamp option
_START_NS: Final = 1_760_000_000 * 1_000_000_000
_CONNECTIONS_A_SECOND: Final = 650
_OPENED_A_SECOND: Final = 25_000
_CHUNK_CONNECTIONS: Final = 20_000
_SERVERS: Final = 40
_PCAP_HEADER: Final = bytes.fromhex("4d3cb2a1 0200 0400 00000000 00000000 00000400 01000000")

Values = NDArray[np.int64]
Script = tuple[tuple[bool, int, int, int], ...]


def _put(frames: NDArray[np.uint8], at: int, width: int, values: Values | int) -> None:
    """Writes numbers in network order into the same bytes of all frames."""
    for i in range(width):
        frames[:, at + i] = np.asarray(values) >> (8 * (width - 1 - i)) & 0xFF


def _endpoints(number: Values, script: Script, from_client: bool) -> tuple[Values, Values, Values, Values]:
    """(source, source port, destination, destination port) of connections by their number."""
    client = 0x0A2A0000 | (number * 7919 % 250 + 2)
    client_port = 1024 + number % 60000
    scanned = number if script is _SCAN_SCRIPT else number // 60000 * 13 + number % _SERVERS
    server = 0x0A500001 + scanned
    server_port = np.full_like(number, 443)
    if from_client:
        return client, client_port, server, server_port
    return server, server_port, client, client_port


def _tcp(frames: NDArray[np.uint8], number: Values, script: Script, step: int, time_ns: Values) -> None:
    """Sequence numbers count what the script has sent before `step`."""
    from_client, flags, _, _ = script[step]
    sent = [0, 0]
    for sender in (False, True):
        before = [part for part in script[:step] if part[0] == sender]
        # A SYN that is sent again takes no number of its own.
        sent_again = flags & _SYN and sender == from_client
        opened_closed = 0 if sent_again else len({part[1] & 3 for part in before} - {0})
        sent[sender] = sum(part[2] for part in before) + opened_closed
    isn = (number * 2654435761 & 0xFFFFFFFF, number * 2246822519 & 0xFFFFFFFF)
    _put(frames, 34, 2, _endpoints(number, script, from_client)[1])
    _put(frames, 36, 2, _endpoints(number, script, from_client)[3])
    _put(frames, 38, 4, isn[from_client] + sent[from_client] & 0xFFFFFFFF)
    _put(frames, 42, 4, (isn[not from_client] + sent[not from_client] & 0xFFFFFFFF) if flags & 0x10 else 0)
    _put(frames, 46, 2, 0x8000 | flags)
    _put(frames, 48, 2, 501)
    frames[:, 54:58] = (1, 1, 8, 10)
    _put(frames, 58, 4, time_ns // 1_000_000 & 0xFFFFFFFF)
    _put(frames, 62, 4, time_ns // 1_000_000 - 1 & 0xFFFFFFFF)


def _frames(number: Values, script: Script, step: int, time_ns: Values) -> NDArray[np.uint8]:
    """One step of the script, for many connections."""
    if script is _DNS_SCRIPT:
        return _dns_frames(number, script[step][0])
    from_client, _, payload, _ = script[step]
    frames = np.zeros((len(number), _HEADER_BYTES + payload), np.uint8)
    source, _, destination, _ = _endpoints(number, script, from_client)
    frames[:, 0:12] = (2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2)
    frames[:, 12:16] = (8, 0, 0x45, 0)
    _put(frames, 16, 2, _HEADER_BYTES - 14 + payload)
    _put(frames, 18, 2, number * 31 + step + 1 & 0xFFFF)
    frames[:, 20:24] = (0x40, 0, 64, 6)
    _put(frames, 26, 4, source)
    _put(frames, 30, 4, destination)
    _tcp(frames, number, script, step, time_ns)
    frames[:, _HEADER_BYTES:] = 0x61 + step
    if script is _HTTP_SCRIPT and payload:
        frames[:, _HEADER_BYTES:] = np.frombuffer(_REQUEST if from_client else _RESPONSE, np.uint8)
    return frames


def _dns_frames(number: Values, asks: bool) -> NDArray[np.uint8]:
    """A query, or its answer, over UDP: every lookup has a port of its own, as resolvers of libc open them."""
    message = b"\0\0" + _DNS_HEADERS[not asks] + _QUESTION + (b"" if asks else _ANSWER)
    frames = np.zeros((len(number), 42 + len(message)), np.uint8)
    client = 0x0A2A0000 | (number * 7919 % 250 + 2), 1024 + number % 60000
    server = 0x0A60000A, np.full_like(number, 53)
    source, destination = (client, server) if asks else (server, client)
    frames[:, 0:14] = (2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0)
    frames[:, 14] = 0x45
    _put(frames, 16, 2, 28 + len(message))
    _put(frames, 18, 2, number * 2 + 1 & 0xFFFF)
    frames[:, 22:24] = (64, 17)
    for at, (address, port) in enumerate((source, destination)):
        _put(frames, 26 + 4 * at, 4, address)
        _put(frames, 34 + 2 * at, 2, port)
    _put(frames, 38, 2, 8 + len(message))
    frames[:, 42:] = np.frombuffer(message, np.uint8)
    _put(frames, 42, 2, number & 0xFFFF)
    for digit in range(4):
        frames[:, 42 + 12 + 5 + digit] = 0x30 + number // 10 ** (3 - digit) % 10
    return frames


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
    for step, (_, _, _, gap_us) in enumerate(script):
        jitter_ns = min(400 * gap_us, _JITTER_NS)
        time_ns = time_ns + gap_us * 1000 + random.integers(0, jitter_ns + 1, len(number))
        block = _records(time_ns, _frames(number, script, step, time_ns))
        times.append(time_ns)
        data, length = block.tobytes(), block.shape[1]
        records += [data[i : i + length] for i in range(0, len(data), length)]
    return np.concatenate(times), records


def _long(number: Values) -> list[tuple[Values, Script]]:
    return [(number, _SCRIPT)]


def _short(number: Values) -> list[tuple[Values, Script]]:
    """One connection of 200 lost its first SYN."""
    retried = number % 200 == 100
    return [(number[~retried], _SHORT_SCRIPT), (number[retried], _RETRIED_SCRIPT)]


def _scan(number: Values) -> list[tuple[Values, Script]]:
    return [(number, _SCAN_SCRIPT)]


def _dns(number: Values) -> list[tuple[Values, Script]]:
    return [(number, _DNS_SCRIPT)]


def _http(number: Values) -> list[tuple[Values, Script]]:
    return [(number, _HTTP_SCRIPT)]


def _mixed(number: Values) -> list[tuple[Values, Script]]:
    """Of 20 connections 14 are short, three scan, two ask over HTTP, one is a lookup: something for every page."""
    kind = number % 20
    return [
        *_short(number[kind < 14]),
        (number[(kind >= 14) & (kind < 17)], _SCAN_SCRIPT),
        (number[(kind >= 17) & (kind < 19)], _HTTP_SCRIPT),
        (number[kind == 19], _DNS_SCRIPT),
    ]


def _stay_open(number: Values) -> list[tuple[Values, Script]]:
    return [(number, _OPEN_SCRIPT)]


TRAFFIC: Final = {
    "long": _long, "short": _short, "scan": _scan, "dns": _dns, "http": _http, "open": _stay_open,
    "mixed": _mixed,
}  # fmt: skip
"""What connections do: 39 packets each, 13 packets each with some SYNs lost, three SYNs each that nobody answers, every
one to an address of its own; a lookup and its answer; ten HTTP exchanges; eight packets each and no end; a mixture of
those that end."""


def generate(path: Path, packets: int, traffic: str = "long") -> None:
    """Writes a nanosecond pcap of exactly `packets` packets; the same arguments give the same file."""
    random = np.random.default_rng(1)
    partial = path.with_name(f".{path.name}.partial")
    shortest = min(len(script) for _, script in TRAFFIC[traffic](np.arange(1)))
    left, first, rate = packets, 0, _OPENED_A_SECOND if traffic == "open" else _CONNECTIONS_A_SECOND
    late_ns, late = np.empty(0, np.int64), list[bytes]()
    with partial.open("wb") as file:
        file.write(_PCAP_HEADER)
        while left > 0:
            count = min(_CHUNK_CONNECTIONS, -(-left // shortest))
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
