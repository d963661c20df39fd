"""A payload that carries credentials, without them: the same length, and of it only what is known to be harmless."""

from __future__ import annotations

import re
from typing import Final

FILLER: Final = b"x"
_REQUEST: Final = re.compile(rb"([A-Z]{3,16}) ([!-~]+) HTTP/1\.[01]\r?\n")
_STATUS: Final = re.compile(rb"HTTP/1\.[01] \d{3}(?: [A-Za-z' -]{0,40})?\r?\n")
_LINE: Final = re.compile(rb"([A-Za-z0-9-]{1,64})(:[ \t]*)([^\r\n]*)\r?\n")
_END_OF_HEAD: Final = re.compile(rb"\r?\n")
_FOLDED: Final = (b" ", b"\t")
_SHOWN: Final = frozenset(
    (
        b"host", b"user-agent", b"content-length", b"content-type", b"content-encoding", b"transfer-encoding",
        b"connection", b"date", b"server", b"accept", b"accept-encoding", b"retry-after", b"expect", b"upgrade",
        b"cache-control", b"last-modified", b"keep-alive", b"x-aws-ec2-metadata-token-ttl-seconds", b"metadata",
        b"metadata-flavor",
    )
)  # fmt: skip
"""Headers whose values are shown: none of them is made to carry a secret."""
_NAMED: Final = frozenset(
    (
        b"authorization", b"proxy-authorization", b"cookie", b"set-cookie", b"x-aws-ec2-metadata-token",
        b"x-amz-security-token", b"x-aliyun-ecs-metadata-token", b"location", b"x-request-id", b"traceparent",
    )
)  # fmt: skip
"""Headers whose names alone are shown."""
_LONGEST_SHOWN: Final = 200
_VISIBLE: Final = re.compile(rb"[ -~\t]*")
_LONG_WORD: Final = re.compile(rb"[A-Za-z0-9_.~%+=-]{24,}")
_USER: Final = re.compile(rb"^(?:[a-z]{3,8}://)?([^?#]+)@")
_BEHIND_PATH: Final = re.compile(rb"[?;#].*", re.DOTALL)
_VALUE: Final = re.compile(
    rb'(?i)(?:AccessKeyId|SecretAccessKey|AccessKeySecret|Token|secret|password)"?>?\s*[:=]?\s*"?([A-Za-z0-9+/=_.~-]{16,})'
)
_HEADER_VALUE: Final = re.compile(
    rb"(?i)(?:authorization|token|cookie)[ \t]*:[ \t]*(?:Bearer |Basic )?([A-Za-z0-9+/=_.~-]{16,})"
)


def clear_payload(payload: bytes) -> bytes:
    """What stands for the payload of one packet. A head is one when it begins the payload; all behind its empty line,
    and everything where none begins, is overwritten."""
    found = _REQUEST.match(payload) or _STATUS.match(payload)
    if found is None:
        return FILLER * len(payload)
    shown = bytearray(FILLER * len(payload))
    shown[: found.end()] = found[0]
    if found.re is _REQUEST:
        shown[found.start(2) : found.end(2)] = clear_target(found[2])
    at = found.end()
    while at < len(payload):
        end = _END_OF_HEAD.match(payload, at)
        if end is not None:
            shown[at : end.end()] = end[0]
            break
        at = _header(payload, at, shown)
    return bytes(shown)


def _header(payload: bytes, at: int, shown: bytearray) -> int:
    """Shows a header if it may be shown; where the next line begins. A line that is folded is not shown at all."""
    line = _LINE.match(payload, at)
    feed = payload.find(b"\n", at)
    after = feed + 1 if feed >= 0 else len(payload)
    if line is None or payload[after : after + 1] in _FOLDED or after == len(payload):
        if feed >= 0:
            shown[feed] = payload[feed]
        return after
    name = line[1].lower()
    if name in _SHOWN or name in _NAMED:
        shown[at : line.end(2)] = payload[at : line.end(2)]
        if name in _SHOWN and len(line[3]) <= _LONGEST_SHOWN and _VISIBLE.fullmatch(line[3]):
            shown[line.start(3) : line.end(3)] = (
                _LONG_WORD.sub(_covered, line[3]) if name == b"host" else line[3]
            )
    shown[line.end(3) : line.end()] = payload[line.end(3) : line.end()]
    return after


def _covered(found: re.Match[bytes]) -> bytes:
    return FILLER * len(found[0])


def clear_target(target: bytes) -> bytes:
    """The target of a request without users, parameters, and parts of the path that are long enough to be keys."""
    shown = bytearray(target)
    user = _USER.match(target)
    if user is not None:
        shown[user.start(1) : user.end(1)] = FILLER * (user.end(1) - user.start(1))
    behind = _BEHIND_PATH.search(target)
    if behind is not None:
        shown[behind.start() + 1 :] = FILLER * (len(target) - behind.start() - 1)
    path = bytes(shown[: behind.start()] if behind is not None else shown)
    shown[: len(path)] = re.sub(rb"[^/:]+", _part, path)
    return bytes(shown)


def _part(found: re.Match[bytes]) -> bytes:
    part = found[0]
    is_long = len(part) >= _LONG_PART and any(48 <= byte <= 57 for byte in part)
    return FILLER * len(part) if is_long else part


_LONG_PART: Final = 20
"""A part of a path this long with a digit in it may be a key."""


def secret_values(payload: bytes) -> set[bytes]:
    """Keys and tokens that can be recognized, to be looked for elsewhere."""
    return {found[1] for pattern in (_VALUE, _HEADER_VALUE) for found in pattern.finditer(payload)}
