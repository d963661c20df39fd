"""The pattern of a caller's metadata calls: groups, how they meet the served requests, refreshes against need."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from backend.forensics.connections import NEVER
from backend.forensics.evidence.clocks.sightings import Ints
from backend.forensics.evidence.clocks.sorted_rows import stable_argsort
from backend.forensics.evidence.requests.metadata_calls import REFRESH_KINDS, WAIT_AT_MOST_NS, MetadataUse
from backend.forensics.evidence.requests.sdks import Sdk, sdk_of
from backend.forensics.significance import binomial_tail, chi_square_tail

Bools = NDArray[np.bool_]

GROUP_GAP_NS = 20_000_000
"""Calls of one load follow one another within milliseconds."""
SLOW_CALL_S = 0.5
"""Half the time that SDKs wait for an answer by default (botocore: 1 s); usual are milliseconds."""
UNKNOWN_LIFETIME_S = 900.0
"""The shortest session that AWS STS hands out: where no answer shows, a refresh this often would be needed."""
_RANK = {kind: number for number, kind in enumerate(REFRESH_KINDS)}


@dataclass(frozen=True)
class Pattern:
    """Numbers about one caller; `span_s` is from its first call or served request to its last."""

    span_s: float
    groups: int
    """Loads: calls in a row, begun anew with a token, a role or, without these, a credentials request."""
    groups_inside: int
    refreshes: int
    """Calls for credentials."""
    requests_refreshing: int
    """Served requests with a call for credentials inside."""
    refreshes_needed: float
    """One to begin with, and one a lifetime."""
    chance_p: float
    """Probability that the loads (the first left out) meet served requests like this by chance."""
    refresh_chance_p: float
    """The same of the loads of credentials alone."""
    refreshes_on_one_connection: int
    """The most that one connection carried: all of one process."""
    refresh_gap_s: float | None
    """Median time between the beginnings of two loads of credentials."""
    lifetime_s: float | None
    """Median time left to credentials when they were handed out."""
    least_left_s: float | None
    still_valid: int
    """Calls for credentials while the last ones had a minute left at least."""
    call_ms: tuple[float, float] | None
    """Median and 95th percentile of the time to an answer."""
    failed: int
    """Calls answered by 429 or 5xx."""
    silent: int
    """Calls without an answer, or with one that never reached the vantage point nearest to the caller."""
    retries: int
    """Calls that ask again for what has failed or was not answered."""
    slow: int
    """Calls that took `SLOW_CALL_S` or longer to an answer."""
    sdk: Sdk | None
    user_agent: str

    @property
    def excess_ratio(self) -> float:
        """Refreshes over those that caching needs."""
        return self.refreshes / self.refreshes_needed


def is_refresh(use: MetadataUse) -> Bools:
    """Which calls ask for credentials."""
    found: Bools = np.asarray(use.calls.kinds == "credentials", np.bool_)
    return found


def find_pattern(use: MetadataUse) -> Pattern:
    """Everything about one caller that rules ask for."""
    calls, refresh, served = use.calls, is_refresh(use), (use.served_start_ns, use.served_end_ns)
    group = _groups(use)
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    inside = use.inside_any
    begin = min(calls.start_ns[0], use.served_start_ns.min(initial=calls.start_ns[0]))
    end = max(calls.start_ns[-1], use.served_end_ns.max(initial=calls.start_ns[-1]))
    span_s = float(end - begin) / 1e9
    left = calls.lifetime_s[refresh & ~np.isnan(calls.lifetime_s)]
    lifetime_s = float(np.median(left)) if len(left) else None
    of_refresh = np.zeros(len(starts), np.bool_)
    of_refresh[group[np.isin(calls.kinds, REFRESH_KINDS)]] = True
    refresh_starts = calls.start_ns[starts[of_refresh]]
    answered = calls.end_ns[calls.end_ns != NEVER] - calls.start_ns[calls.end_ns != NEVER]
    failed = (calls.status == 429) | (calls.status >= 500)
    user_agent = _usual_agent(use, refresh)
    return Pattern(
        span_s=span_s,
        groups=len(starts),
        groups_inside=int(np.count_nonzero(inside[starts])),
        refreshes=int(np.count_nonzero(refresh)),
        requests_refreshing=len(np.unique(use.inside[0][refresh[use.inside[1]]])),
        refreshes_needed=1 + span_s / max(1.0, lifetime_s or UNKNOWN_LIFETIME_S),
        chance_p=chance(served, calls.start_ns[starts], (int(begin), int(end))),
        refresh_chance_p=chance(served, refresh_starts, (int(begin), int(end))),
        refreshes_on_one_connection=_most_on_one(use, refresh),
        refresh_gap_s=float(np.median(np.diff(refresh_starts))) / 1e9 if len(refresh_starts) > 1 else None,
        lifetime_s=lifetime_s,
        least_left_s=float(left.min()) if len(left) else None,
        still_valid=_still_valid(use, refresh),
        call_ms=_milliseconds(answered),
        failed=int(np.count_nonzero(failed)),
        silent=int(np.count_nonzero(calls.silent | calls.unheard)),
        retries=_retries(use, failed | calls.silent | calls.unheard),
        slow=int(np.count_nonzero(answered >= SLOW_CALL_S * 1e9)),
        sdk=sdk_of(user_agent),
        user_agent=user_agent,
    )


def _groups(use: MetadataUse) -> Ints:
    """Number of the load of each call."""
    calls = use.calls
    rank = np.array([_RANK.get(kind, len(_RANK)) for kind in calls.kind])
    over = np.maximum(calls.end_ns, calls.start_ns)
    new = np.ones(len(calls), np.bool_)
    new[1:] = (calls.start_ns[1:] - over[:-1] > GROUP_GAP_NS) | (
        (rank[1:] <= rank[:-1]) & (rank[1:] < len(_RANK))
    )
    numbers: Ints = np.cumsum(new) - 1
    return numbers


def chance(served: tuple[Ints, Ints], starts: Ints, span: tuple[int, int]) -> float:
    """Probability of loads that meet `served` requests (starts, ends) like these, coming by a clock of their own.

    Three ways to see it, the surest one counts (Bonferroni): how many begin within a request, against the share of time
    with a request open (binomial); how soon after a request's arrival they begin; how soon after an arrival or an
    answer, since a program that serves one request after the other begins with the next when it has answered one. The
    first load is left out: a process loads credentials when first asked."""
    starts = starts[1:]
    if not len(starts) or not len(served[0]):
        return 1.0
    opened, closed = _union(*served)
    at = np.searchsorted(opened, starts, side="right") - 1
    within = (at >= 0) & (starts <= closed[np.maximum(at, 0)])
    busy = min(1.0, float((closed - opened).sum()) / max(1, span[1] - span[0]))
    by_place = binomial_tail(int(np.count_nonzero(within)), len(starts), busy)
    after_arrivals = _soon_after(np.sort(served[0]), starts, span)
    in_turn = _soon_after(np.sort(np.concatenate(served)), starts, span) if within.all() else 1.0
    return min(1.0, 3 * min(by_place, after_arrivals, in_turn))


def _soon_after(events: Ints, starts: Ints, span: tuple[int, int]) -> float:
    """Probability of moments drawn at random that come as soon after these sorted events (Fisher's method)."""
    length = max(1, span[1] - span[0])
    gaps = np.sort(np.diff(np.append(events, span[1])))
    before = np.searchsorted(events, starts, side="right") - 1
    waited = np.where(before >= 0, starts - events[np.maximum(before, 0)], length)
    summed = np.concatenate([[0], np.cumsum(gaps)])
    shorter = np.searchsorted(gaps, waited, side="right")
    share = (summed[shorter] + waited * (len(gaps) - shorter)) / length
    likely = np.clip(share, 1e-12, 1.0)
    return chi_square_tail(-2 * float(np.log(likely).sum()), len(starts))


def _union(start: Ints, end: Ints) -> tuple[Ints, Ints]:
    """Stretches of time in which at least one interval is open."""
    order = stable_argsort(start)
    reached = np.maximum.accumulate(end[order])
    new = np.ones(len(order), np.bool_)
    new[1:] = start[order][1:] > reached[:-1]
    at = np.flatnonzero(new)
    return start[order][at], np.append(reached[at[1:] - 1], reached[-1])


def _most_on_one(use: MetadataUse, refresh: Bools) -> int:
    connections = use.connection[refresh]
    return int(np.unique(connections, return_counts=True)[1].max()) if len(connections) else 0


def _still_valid(use: MetadataUse, refresh: Bools) -> int:
    """Calls for credentials though those of the answer before have a minute left."""
    start, left = use.calls.start_ns[refresh], use.calls.lifetime_s[refresh]
    expires = start[:-1] + np.nan_to_num(left[:-1], nan=0.0) * 1e9
    return int(np.count_nonzero(expires - start[1:] >= 60e9))


def _milliseconds(answered_ns: Ints) -> tuple[float, float] | None:
    if not len(answered_ns):
        return None
    median, high = np.percentile(answered_ns / 1e6, [50, 95])
    return round(float(median), 3), round(float(high), 3)


def _retries(use: MetadataUse, failed: Bools) -> int:
    """Failed calls whose kind is asked for again within a minute."""
    count = 0
    last: dict[str, int] = {}
    for kind, start, bad in zip(use.calls.kind, use.calls.start_ns.tolist(), failed.tolist(), strict=True):
        count += kind in last and start - last.pop(kind) <= WAIT_AT_MOST_NS
        if bad:
            last[kind] = start
    return count


def _usual_agent(use: MetadataUse, refresh: Bools) -> str:
    """The user agent of most calls for credentials, or of most calls."""
    agents = [
        agent for agent, asks in zip(use.calls.user_agent, refresh.tolist(), strict=True) if asks and agent
    ]
    agents = agents or [agent for agent in use.calls.user_agent if agent]
    counted = Counter(agents)
    return min(counted, key=lambda agent: (-counted[agent], agent), default="")
