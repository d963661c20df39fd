"""Calls to the metadata services of clouds: AWS (v1, v2, ECS, EKS pod identity), GCP, Azure, Alibaba, OpenStack.

A call is known by the address that was asked, by the Host header, or, where an agent on the node takes the calls, by
its path. Which of a pod's calls lie inside which of the requests that it served is recognized by their times.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from backend.forensics.addresses import address_halves, address_text, endpoint_text
from backend.forensics.captures import Capture
from backend.forensics.connections import NEVER
from backend.forensics.evidence.clocks.grouped_rows import by_value
from backend.forensics.evidence.clocks.sightings import Ints
from backend.forensics.evidence.requests.exchanges import Addresses, Exchanges, read_rows
from backend.forensics.evidence.requests.nesting import Intervals, covered_ns, find_containing

Bools = NDArray[np.bool_]

ADDRESSES = (
    "169.254.169.254",  # AWS, GCP, Azure, OpenStack and others
    "fd00:ec2::254",  # AWS over IPv6
    "169.254.170.2",  # ECS task credentials
    "169.254.170.23",  # EKS pod identity
    "fd00:ec2::23",
    "100.100.100.200",  # Alibaba
)
_HOSTS = (
    *ADDRESSES,
    "[fd00:ec2::254]",
    "[fd00:ec2::23]",
    "metadata.google.internal",
    "metadata.google.internal.",
)
_HOST_PATTERN = "(?i)^(?:" + "|".join(re.escape(host) for host in _HOSTS) + r")(?::\d+)?$"
_PATH_PATTERN = r"^/(?:latest/(?:meta-data|api/token|dynamic/instance-identity)|computeMetadata/v1)(?:/|$)"
"""Paths that no other service has: they show a call to an agent at an address of the node."""

KINDS: tuple[tuple[str, str], ...] = (
    ("token", r"^PUT .*/api/token"),
    ("credentials", r"/(?:iam|ram)/security-credentials/[^/?]"),
    ("role", r"/(?:iam|ram)/security-credentials/?(?:\?|$)"),
    ("credentials", r" /v\d+/credentials|/credentials(?:/|\?|$)"),
    ("credentials", r"/service-accounts/[^/]+/(?:token|identity)|/metadata/identity/oauth2/token"),
    ("interruption", r"/spot/|/events/|/maintenance-event|/preempted|scheduledevents|/autoscaling/"),
    ("identity", r"/instance-identity|/metadata/attested|/iam/info"),
    ("instance-id", r"/meta-data/instance-id|/instance/id(?:\?|$)"),
)
"""(kind, pattern on ``METHOD path``); the first that fits counts, the rest is ``other``."""
REFRESH_KINDS = ("token", "role", "credentials")
_COMPILED = tuple((kind, re.compile(pattern)) for kind, pattern in KINDS)

SILENCE_NS = 1_000_000_000
"""A call without answer counts as unanswered when the capture went on this long: SDKs wait for 1 s (botocore's
metadata_service_timeout)."""
WAIT_AT_MOST_NS = 60_000_000_000
"""Nobody waits longer for an answer."""


@lru_cache(maxsize=4096)
def kind_of(method: str, path: str) -> str:
    """``token``, ``role``, ``credentials``, ``interruption`` …: what is asked for."""
    line = f"{method} {path}"
    return next((kind for kind, pattern in _COMPILED if pattern.search(line)), "other")


@dataclass(frozen=True)
class MetadataCalls:
    """All calls, by start; the arrays run beside one another."""

    exchange: Ints
    """Rows of `Exchanges`."""
    kind: tuple[str, ...]
    user_agent: tuple[str, ...]
    code: tuple[str, ...]
    """`Code` of a credentials answer, "" without."""
    status: Ints
    start_ns: Ints
    end_ns: Ints
    """Of the answer, NEVER without one."""
    silent: Bools
    """Without an answer although the capture went on for `SILENCE_NS`."""
    unheard: Bools
    """Its answer was seen further out, and not at the vantage point nearest to the caller."""
    lifetime_s: NDArray[np.float64]
    """Time left to the credentials in the answer when it was given, NaN without."""
    caller: Ints
    """Number of an address (`Exchanges.addresses`)."""

    def __len__(self) -> int:
        return len(self.exchange)

    @property
    def kinds(self) -> NDArray[np.str_]:
        return np.array(self.kind, np.str_)


@dataclass(frozen=True)
class MetadataUse:
    """One caller: its calls, the requests that it served, and which lie in which."""

    address: str
    calls: MetadataCalls
    connection: Ints
    """Of each call: number of the logical connection."""
    served: Ints
    """Rows of `Exchanges`: requests answered by the caller's address, by start."""
    served_start_ns: Ints
    served_end_ns: Ints
    inside: tuple[Ints, Ints]
    """Pairs (position in `served`, position in `calls`)."""
    metadata_ns: Ints
    """Of each served request: how long metadata calls were open in it."""

    @property
    def calls_in(self) -> Ints:
        """Of each served request: calls inside."""
        return np.bincount(self.inside[0], minlength=len(self.served)).astype(np.int64)

    @property
    def inside_any(self) -> Bools:
        """Of each call: whether it lies inside a served request."""
        found = np.zeros(len(self.calls), np.bool_)
        found[self.inside[1]] = True
        return found


def find_metadata_calls(captures: Sequence[Capture], exchanges: Exchanges) -> MetadataCalls:
    """Every call once, those left out that an agent made to answer one."""
    chosen = np.flatnonzero(_is_metadata(captures, exchanges))
    chosen = chosen[~_relayed(exchanges, chosen)]
    texts = read_rows(
        captures, exchanges.capture[chosen], exchanges.row[chosen], ("method", "path", "user_agent")
    )
    methods, paths, agents = (texts[name].to_pylist() for name in ("method", "path", "user_agent"))
    answers = _answers(captures, exchanges, chosen)
    end_ns = exchanges.end_ns[chosen]
    return MetadataCalls(
        exchange=chosen,
        kind=tuple(kind_of(m, p) for m, p in zip(methods, paths, strict=True)),
        user_agent=tuple(agents),
        code=answers.code,
        status=answers.status,
        start_ns=exchanges.start_ns[chosen],
        end_ns=end_ns,
        silent=(end_ns == NEVER) & (exchanges.lasts_ns[chosen] >= SILENCE_NS),
        unheard=exchanges.unheard[chosen],
        lifetime_s=answers.lifetime_s,
        caller=exchanges.requester[chosen],
    )


@dataclass(frozen=True)
class _Answers:
    status: Ints
    code: tuple[str, ...]
    lifetime_s: NDArray[np.float64]


_TIMES = ("status", "date_s", "expiration_ns", "expires_in_s", "response_first_ns")


def _answers(captures: Sequence[Capture], exchanges: Exchanges, chosen: Ints) -> _Answers:
    """What the answers say: status, code, and how long their credentials have left.

    Both Expiration and Date are the issuer's clock; without a Date header the capture's stands in for it."""
    row, capture = exchanges.answer_row[chosen], exchanges.answer_capture[chosen]
    known = np.flatnonzero(row >= 0)
    columns = read_rows(captures, capture[known], row[known], (*_TIMES, "metadata_code"))
    status, code = np.zeros(len(chosen), np.int64), [""] * len(chosen)
    lifetime_s = np.full(len(chosen), np.nan)
    if not len(known):
        return _Answers(status, tuple(code), lifetime_s)
    at = {name: columns[name].to_numpy().astype(np.int64) for name in _TIMES}
    given_ns = np.where(at["date_s"] != NEVER, at["date_s"] * 1_000_000_000, at["response_first_ns"])
    left = np.where(at["expiration_ns"] != NEVER, (at["expiration_ns"] - given_ns) / 1e9, np.nan)
    left = np.where(np.isnan(left) & (at["expires_in_s"] != NEVER), at["expires_in_s"].astype(float), left)
    status[known], lifetime_s[known] = at["status"], left
    for place, text in zip(known.tolist(), columns["metadata_code"].to_pylist(), strict=True):
        code[place] = text
    return _Answers(status, tuple(code), lifetime_s)


def _known_numbers(addresses: Addresses) -> Ints:
    """Numbers of the metadata addresses that were seen."""
    found = np.zeros(len(addresses.high), np.bool_)
    for text in ADDRESSES:
        high, low = address_halves(text)
        found |= (addresses.high == np.uint64(high)) & (addresses.low == np.uint64(low))
    return np.flatnonzero(found)


def _is_metadata(captures: Sequence[Capture], exchanges: Exchanges) -> Bools:
    known = _known_numbers(exchanges.addresses)
    found = np.isin(exchanges.called, known) | np.isin(exchanges.responder, known)
    by_host = [_matches(c, "host", _HOST_PATTERN) for c in captures]
    by_path = [_matches(c, "path", _PATH_PATTERN) for c in captures]
    for number in range(len(captures)):
        for row, capture in (
            (exchanges.row, exchanges.capture),
            (exchanges.server_row, exchanges.server_capture),
        ):
            mine = np.flatnonzero(capture == number)
            found[mine] |= by_host[number][row[mine]]
            near = by_path[number][row[mine]]
            found[mine[near]] |= _is_local(exchanges, mine[near])
    return found


def _matches(capture: Capture, column: str, pattern: str) -> Bools:
    if not capture.messages.http.rows:
        return np.zeros(0, np.bool_)
    import pyarrow.compute as pc  # functions that most captures need none of

    found = [
        pc.match_substring_regex(batch.column(column), pattern).to_numpy(zero_copy_only=False)
        for batch in capture.messages.http.batches([column])
    ]
    return np.concatenate(found).astype(np.bool_)


def _is_local(exchanges: Exchanges, rows: Ints) -> Bools:
    """Whether the address asked is one of a cluster or node: a scan of a web server is no metadata call."""
    table = exchanges.addresses
    used, inverse = np.unique(exchanges.called[rows], return_inverse=True)
    texts = [address_text(int(table.high[n]), int(table.low[n])) for n in used.tolist()]
    local = np.array([not ipaddress.ip_address(text).is_global for text in texts] or [False])
    found: Bools = local[inverse] if len(rows) else np.zeros(0, np.bool_)
    return found


def _relayed(exchanges: Exchanges, chosen: Ints) -> Bools:
    """Calls that an agent makes while it answers one: they are the same call once more."""
    outer = Intervals(
        exchanges.responder[chosen], exchanges.server_start_ns[chosen], exchanges.server_end_ns[chosen]
    )
    inner = Intervals(
        exchanges.requester[chosen],
        exchanges.start_ns[chosen],
        np.maximum(exchanges.end_ns[chosen], exchanges.start_ns[chosen]),
    )
    found = np.zeros(len(chosen), np.bool_)
    found[find_containing(outer, inner)[1]] = True
    return found


def metadata_uses(exchanges: Exchanges, calls: MetadataCalls) -> tuple[MetadataUse, ...]:
    """One for each caller, by address text."""
    if not len(calls):
        return ()
    callers = np.unique(calls.caller)
    is_call = np.zeros(len(exchanges), np.bool_)
    is_call[calls.exchange] = True
    served = np.flatnonzero(
        ~is_call & np.isin(exchanges.responder, callers) & (exchanges.server_end_ns != NEVER)
    )
    table = exchanges.addresses
    uses, none = [], np.zeros(0, np.int64)
    by_caller = by_value(np.arange(len(calls)), calls.caller)
    served_by = by_value(served, exchanges.responder[served])
    for caller in callers.tolist():
        mine, rows = _of_caller(calls, by_caller[caller]), served_by.get(caller, none)
        text = address_text(int(table.high[caller]), int(table.low[caller]))
        uses.append(_use(exchanges, text, mine, rows))
    return tuple(sorted(uses, key=lambda use: use.address))


def _of_caller(calls: MetadataCalls, rows: Ints) -> MetadataCalls:
    picked = rows.tolist()
    return MetadataCalls(
        exchange=calls.exchange[rows],
        kind=tuple(calls.kind[n] for n in picked),
        user_agent=tuple(calls.user_agent[n] for n in picked),
        code=tuple(calls.code[n] for n in picked),
        status=calls.status[rows],
        start_ns=calls.start_ns[rows],
        end_ns=calls.end_ns[rows],
        silent=calls.silent[rows],
        unheard=calls.unheard[rows],
        lifetime_s=calls.lifetime_s[rows],
        caller=calls.caller[rows],
    )


def _use(exchanges: Exchanges, address: str, calls: MetadataCalls, served: Ints) -> MetadataUse:
    outer = Intervals(
        exchanges.server_clock[served], exchanges.server_start_ns[served], exchanges.server_end_ns[served]
    )
    key = exchanges.clock[calls.exchange]
    pairs = find_containing(outer, Intervals(key, calls.start_ns, np.maximum(calls.end_ns, calls.start_ns)))
    inner = Intervals(key, calls.start_ns, waits_until(calls))
    return MetadataUse(
        address=address,
        calls=calls,
        connection=exchanges.connection[calls.exchange],
        served=served,
        served_start_ns=outer.start_ns,
        served_end_ns=outer.end_ns,
        inside=pairs,
        metadata_ns=covered_ns(outer, inner, pairs),
    )


def waits_until(calls: MetadataCalls) -> Ints:
    """When each call was over for its caller: at its answer, or, where none came, at the next call."""
    following = np.append(calls.start_ns[1:], calls.start_ns[-1:] + SILENCE_NS)
    given_up = np.minimum(following, calls.start_ns + WAIT_AT_MOST_NS)
    without = np.where(calls.silent, given_up, calls.start_ns)
    until: Ints = np.where(calls.end_ns != NEVER, calls.end_ns, without)
    return until


def call_frames(
    captures: Sequence[Capture], exchanges: Exchanges, rows: Ints
) -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
    """((input, frame) of each request, the same of each answer that was seen), in the order of the rows."""
    asked = read_rows(captures, exchanges.capture[rows], exchanges.row[rows], ("request_first_frame",))
    known = rows[exchanges.answer_row[rows] >= 0]
    names = ("response_first_frame", "response_last_frame")
    answers = read_rows(captures, exchanges.answer_capture[known], exchanges.answer_row[known], names)
    first, last = (answers[name].to_numpy() if len(known) else np.zeros(0, np.int64) for name in names)
    of = [captures[n].name for n in exchanges.capture[rows].tolist()]
    of_answer = [captures[n].name for n in exchanges.answer_capture[known].tolist()]
    frames = np.where(last > 0, last, first).tolist()
    return (
        list(zip(of, asked["request_first_frame"].to_pylist(), strict=True)),
        list(zip(of_answer, frames, strict=True)),
    )


def endpoints_of(exchanges: Exchanges, rows: Ints) -> list[str]:
    """``169.254.169.254:80`` …: what was called, in order of text."""
    table = exchanges.addresses
    pairs = np.unique(np.stack([exchanges.called[rows], exchanges.called_port[rows]], axis=1), axis=0)
    return sorted(endpoint_text(int(table.high[n]), int(table.low[n]), port) for n, port in pairs.tolist())
