"""Groups delayed lookups by the resolver that was asked."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from statistics import median

from backend.forensics.cases.case import Flow
from backend.forensics.cases.dns_delay import DnsDelay
from backend.forensics.detection.contract import Detection
from backend.forensics.detection.present import present_case
from backend.forensics.detectors.dns_delay.marks import draw_marks, list_events, lookup_table
from backend.forensics.detectors.dns_delay.schedules import name_schedule, pauses_s
from backend.forensics.detectors.dns_delay.thresholds import DEFAULT, Thresholds
from backend.forensics.evidence.dns.delayed import LATE_NS, Dns, Resolver
from backend.forensics.evidence.dns.lost_queries import LostQuery, lookup_frames
from backend.forensics.evidence.facts import Facts
from backend.forensics.findings import frame_evidence, plural, seconds_text
from backend.forensics.report import FindingPart, Severity

KIND = "dns-delay"


def detect(facts: Facts, thresholds: Thresholds = DEFAULT) -> Detection:
    """One finding per resolver with a delayed lookup."""
    if not facts.has_packets:
        return Detection("not-checkable", "needs a capture")
    dns = facts.dns
    total = sum(r.lookups for r in dns.resolvers)
    if not total:
        return Detection("not-checkable", _nothing(dns))
    if not any(r.answered for r in dns.resolvers) and not any(r.delayed_total for r in dns.resolvers):
        return Detection("not-checkable", f"{plural(total, 'DNS lookup')}, but no response was captured")
    slow = [r for r in dns.resolvers if r.delayed_total]
    slow.sort(key=lambda r: (-r.delayed_total, str(r.server)))
    shown = slow[: thresholds.findings_most]
    judge, present = partial(_case, facts, thresholds), partial(_present, facts, thresholds)
    return Detection.of_groups(_why(dns, total, slow), shown, judge, present)


def _nothing(dns: Dns) -> str:
    if dns.messages.iterative:
        number = dns.messages.iterative
        return f"no client DNS lookup was captured, only {number:,} queries between name servers"
    return "no DNS lookup was captured"


def _why(dns: Dns, total: int, slow: Sequence[Resolver]) -> str:
    late = sum(r.delayed_total for r in slow)
    text = f"{late:,} of {plural(total, 'DNS lookup')} had a query retried, unanswered, or answered after 1 s"
    if not late:
        text = f"0 of {plural(total, 'DNS lookup')} had a query retried, unanswered, or answered after 1 s"
    open_ = sum(r.unsettled for r in dns.resolvers)
    return f"{text}; {open_:,} were still pending at the end of the capture" if open_ else text


def _severity(resolver: Resolver, lost: Sequence[LostQuery], thresholds: Thresholds) -> Severity:
    late, ratio = resolver.delayed_total, resolver.delayed_total / resolver.lookups
    # A question never put again made nobody wait. Of very many delayed lookups only the first are described.
    waited = late * sum(one.wait_s > 0 for one in resolver.delayed) / max(1, len(resolver.delayed))
    if waited >= thresholds.critical_lookups and waited / resolver.lookups >= thresholds.critical_ratio:
        return "critical"
    # Where a query was lost is known or not; known, even one lookup that waited is no accident of counting.
    waiting = {one.lookup for one in resolver.delayed if one.wait_s > 0}
    located = any(query.where != "unknown" and query.lookup in waiting for query in lost)
    frequent = late >= thresholds.notable_lookups and ratio >= thresholds.notable_ratio
    return "warning" if located or frequent else "info"


def _case(facts: Facts, thresholds: Thresholds, resolver: Resolver) -> DnsDelay:
    dns, late = facts.dns, resolver.delayed
    lost = facts.lost_queries[str(resolver.server)]
    schedule, pause_s = name_schedule([p for one in late for p in pauses_s(dns, one)])
    starts_ns = [facts.lookup_time_ns(one.place, one.start_ns) for one in late]
    wait_s = median(one.wait_s for one in late)
    frames = [frame for one in late for frame in lookup_frames(dns, one)]
    sources = sorted({one.client for one in late})[:100]
    return DnsDelay(
        severity=_severity(resolver, lost, thresholds),
        confidence=thresholds.confidence,
        summary=_summary(resolver, wait_s, schedule, lost),
        count=resolver.delayed_total,
        first_ns=min(starts_ns),
        last_ns=max(starts_ns),
        time_lost_s=sum(max(0.0, one.wait_s - (resolver.usual_s or 0.0)) for one in late),
        flows=tuple(Flow("dns", source, resolver.server) for source in sources),
        evidence=tuple(frame_evidence(frames, "queries and responses of the delayed lookups")),
        lookups_total=resolver.lookups,
        retries=resolver.retries,
        delay_median_s=round(wait_s, 6),
        delay_max_s=round(max(one.wait_s for one in late), 6),
        search_expansions=resolver.expansions,
        repeated=sum("repeated" in one.why for one in late),
        unanswered=sum("unanswered" in one.why for one in late),
        late=sum("late" in one.why for one in late),
        queries_total=resolver.questions,
        name_errors_ratio=round(resolver.name_errors / max(1, resolver.answered), 6),
        truncated=resolver.truncated,
        usual_s=resolver.usual_s,
        retry_schedule=schedule,
        retry_pause_median_s=round(pause_s, 6) if pause_s is not None else None,
        lost_at=_places(lost),
    )


def _present(facts: Facts, thresholds: Thresholds, resolver: Resolver, case: DnsDelay) -> FindingPart:
    late, lost = resolver.delayed, facts.lost_queries[str(resolver.server)]
    events = list_events(facts, late)
    return present_case(
        case,
        f"Slow DNS lookups at {resolver.server}",
        events=events,
        marks=draw_marks(facts, late[: thresholds.marked_lookups], lost),
        tables=[lookup_table(events, facts.dns, late)],
    )


def _summary(resolver: Resolver, wait_s: float, schedule: str, lost: Sequence[LostQuery]) -> str:
    usual = f", baseline {seconds_text(resolver.usual_s)}" if resolver.usual_s is not None else ""
    mute = all("unanswered" in one.why for one in resolver.delayed)
    took = "stayed without a response for" if mute else "took"
    waited = f"{took} {seconds_text(wait_s)} (median{usual})"
    if lost and all(query.turned_away for query in lost):
        waited = "failed: ICMP errors answered the queries"
    elif wait_s * 1e9 < LATE_NS:  # of lookups whose last query, or only one, stayed unanswered
        waited = "had no response or a late one"
    text = f"{resolver.delayed_total:,} of {plural(resolver.lookups, 'DNS lookup')} at {resolver.server} {waited}."
    if resolver.retries:
        queries = "1 query was" if resolver.retries == 1 else f"{resolver.retries:,} queries were"
        text += f" {queries} retried: {schedule}."
    if resolver.expansions:
        text += f" The search list added {resolver.expansions:,} queries for other names."
    return text


def _places(lost: Sequence[LostQuery]) -> list[str]:
    """Where the unanswered queries were lost, most frequent first."""
    counts: dict[str, int] = {}
    for query in lost:
        if query.turned_away:
            continue
        outer = " or ".join(p.name for p in query.outer)
        words = {
            "inside": f"between {query.inner.name} and {outer}",
            "reached": f"beyond {outer}",
            "return": f"return path, between {outer} and {query.inner.name}",
            "unknown": "unknown (one vantage point only)",
        }[query.where]
        counts[words] = counts.get(words, 0) + 1
    return sorted(counts, key=lambda words: (-counts[words], words))
