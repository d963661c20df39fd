"""The bytes of generated packets, one step of a script for many connections at a time."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from workers.decode.bench.scripts import ANSWER, DNS, HTTP, QUESTION, REQUEST, RESPONSE, SYN, Script, Values

_DNS_HEADERS: Final = (b"\1\0\0\1\0\0\0\0\0\0", b"\x85\x80\0\1\0\1\0\0\0\0")
_TCP_HEADERS: Final = 66  # Ethernet, IPv4, TCP with the time stamp option
_UDP_HEADERS: Final = 42
_QUIC_LONG: Final = (0xC3, 0, 0, 0, 1)
_VLANS: Final = 100
_VXLAN_HEADERS: Final = 50  # Ethernet, IPv4, UDP, VXLAN

Frames = NDArray[np.uint8]


def frames_of(number: Values, script: Script, step: int, time_ns: Values) -> Frames:
    """One step of the script."""
    if script is DNS:
        return _dns_frames(number, script.steps[step].from_client)
    frames = _quic_frames(number, script, step) if script.udp else _tcp_frames(number, script, step, time_ns)
    return {"": _bare, "vlan": _in_vlan, "vxlan": _in_vxlan}[script.wrapped](frames, number)


def _put(frames: Frames, at: int, width: int, values: Values | int) -> None:
    """Writes numbers in network order into the same bytes of all frames."""
    for i in range(width):
        frames[:, at + i] = np.asarray(values) >> (8 * (width - 1 - i)) & 0xFF


def _endpoints(number: Values, script: Script, from_client: bool) -> tuple[Values, Values, Values, Values]:
    """(source, source port, destination, destination port) of connections by their number."""
    which = np.zeros_like(number) if script.one_flow else number
    client, server = (
        (script.client(which), 1024 + which % 60000),
        (script.server(which), np.full_like(number, 443)),
    )
    return (*client, *server) if from_client else (*server, *client)


def _sent_before(script: Script, step: int) -> tuple[int, int]:
    """Sequence numbers that the server and the client have used before this step."""
    from_client, flags = script.steps[step].from_client, script.steps[step].flags
    sent = []
    for sender in (False, True):
        before = [each for each in script.steps[:step] if each.from_client == sender and not each.again]
        # A SYN that is sent again takes no number of its own.
        syn_again = flags & SYN and sender == from_client
        opened_closed = 0 if syn_again else len({each.flags & 3 for each in before} - {0})
        sent.append(sum(each.payload for each in before) + opened_closed)
    if script.steps[step].again:
        sent[from_client] -= script.steps[step].payload
    return sent[0], sent[1]


def _tcp_numbers(frames: Frames, number: Values, script: Script, step: int, time_ns: Values) -> None:
    from_client, flags = script.steps[step].from_client, script.steps[step].flags
    which = np.zeros_like(number) if script.one_flow else number
    sent = [np.full_like(number, count) for count in _sent_before(script, step)]
    if script.one_flow:
        whole = [
            sum(each.payload for each in script.steps if each.from_client == end) for end in (False, True)
        ]
        sent = [count + number * bytes_each for count, bytes_each in zip(sent, whole, strict=True)]
    isn = (which * 2654435761, which * 2246822519)
    numbers = [(begin + count) & 0xFFFFFFFF for begin, count in zip(isn, sent, strict=True)]
    _put(frames, 38, 4, numbers[from_client])
    _put(frames, 42, 4, numbers[not from_client] if flags & 0x10 else 0)
    _put(frames, 46, 2, 0x8000 | flags)
    _put(frames, 48, 2, 501)
    frames[:, 54:58] = (1, 1, 8, 10)
    _put(frames, 58, 4, time_ns // 1_000_000 & 0xFFFFFFFF)
    _put(frames, 62, 4, time_ns // 1_000_000 - 1 & 0xFFFFFFFF)


def _ip_frames(number: Values, script: Script, step: int, headers: int, identification: Values) -> Frames:
    """Ethernet, IPv4, ports; what follows is zero."""
    from_client, _, payload, *_ = script.steps[step]
    frames = np.zeros((len(number), headers + payload), np.uint8)
    source, source_port, destination, destination_port = _endpoints(number, script, from_client)
    frames[:, 0:12] = (2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2)
    frames[:, 12:16] = (8, 0, 0x45, 0)
    _put(frames, 16, 2, headers - 14 + payload)
    _put(frames, 18, 2, identification & 0xFFFF)
    frames[:, 20:24] = (0x40, 0, 64, 17 if script.udp else 6)
    _put(frames, 26, 4, source)
    _put(frames, 30, 4, destination)
    _put(frames, 34, 2, source_port)
    _put(frames, 36, 2, destination_port)
    return frames


def _tcp_frames(number: Values, script: Script, step: int, time_ns: Values) -> Frames:
    frames = _ip_frames(number, script, step, _TCP_HEADERS, number * 31 + step + 1)
    _tcp_numbers(frames, number, script, step, time_ns)
    frames[:, _TCP_HEADERS:] = (0x61 + step) & 0xFF
    if script is HTTP and script.steps[step].payload:
        text = REQUEST if script.steps[step].from_client else RESPONSE
        frames[:, _TCP_HEADERS:] = np.frombuffer(text, np.uint8)
    return frames


def _quic_frames(number: Values, script: Script, step: int) -> Frames:
    """A long header first, short ones after it."""
    frames = _ip_frames(number, script, step, _UDP_HEADERS, number * 31 + step + 1)
    _put(frames, 38, 2, 8 + script.steps[step].payload)
    frames[:, _UDP_HEADERS:] = 0x40 + step
    if step < 2:
        frames[:, _UDP_HEADERS : _UDP_HEADERS + len(_QUIC_LONG)] = _QUIC_LONG
    return frames


def _bare(frames: Frames, number: Values) -> Frames:
    return frames


def _in_vlan(frames: Frames, number: Values) -> Frames:
    tag = np.zeros((len(frames), 4), np.uint8)
    tag[:, 0] = 0x81
    _put(tag, 2, 2, 1 + number % _VLANS)
    return np.concatenate([frames[:, :12], tag, frames[:, 12:]], axis=1)


def _in_vxlan(frames: Frames, number: Values) -> Frames:
    """Between two nodes, in one of a few networks."""
    outer = np.zeros((len(frames), _VXLAN_HEADERS), np.uint8)
    outer[:, 0:16] = (2, 0, 0, 0, 1, 1, 2, 0, 0, 0, 1, 2, 8, 0, 0x45, 0)
    _put(outer, 16, 2, frames.shape[1] + 36)
    outer[:, 22:24] = (64, 17)
    outer[:, 26:34] = (192, 0, 2, 1, 192, 0, 2, 2)
    _put(outer, 34, 2, 49152 + number % 16384)
    _put(outer, 36, 2, 4789)
    _put(outer, 38, 2, frames.shape[1] + 16)
    outer[:, 42] = 8
    _put(outer, 46, 3, 1 + number % 4)
    return np.concatenate([outer, frames], axis=1)


def _dns_frames(number: Values, asks: bool) -> Frames:
    """A query, or its answer, over UDP: every lookup has a port of its own, as resolvers of libc open them."""
    message = b"\0\0" + _DNS_HEADERS[not asks] + QUESTION + (b"" if asks else ANSWER)
    frames = np.zeros((len(number), _UDP_HEADERS + len(message)), np.uint8)
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
