"""The delayed lookups of one resolver, sorted by what made them wait."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median

from backend.forensics.cases.case import Case
from backend.forensics.connections import NEVER
from backend.forensics.diagnosis.contract import TIME_LOST, Weighed
from backend.forensics.diagnosis.given_listings import ListingRequest
from backend.forensics.diagnosis.queries.no_server_addresses import stands_for_none
from backend.forensics.evidence.attempts.delays import Frame
from backend.forensics.evidence.clocks.nodes import same_node
from backend.forensics.evidence.dns.delayed import DelayedLookup, Dns, Resolver
from backend.forensics.evidence.dns.lost_queries import LostQuery, lookup_frames
from backend.forensics.evidence.facts import Facts
from backend.forensics.findings import frame_evidence, plural, seconds_text
from backend.forensics.report import ClaimPart, EvidencePart, MissingPart
from backend.forensics.report_impact import ImpactPart

LOSSY_CAPTURE = -1.0
"""A capture that lost packets may have lost the query behind the node, or the answer."""
ACCIDENT_CEILING = 0.5

BOTH_SIDES = MissingPart(
    what="A capture of all interfaces of the client's node: it shows whether each query left the node",
    command="tcpdump -i any -y LINUX_SLL2 -w any.pcap port 53",
)
AT_RESOLVER = MissingPart(
    what="A capture at the resolver at the same time: it shows whether each query arrived and when it was answered",
    command="tcpdump -i any -y LINUX_SLL2 -w resolver.pcap port 53",
)
COUNTERS = ListingRequest(
    what="Kernel counters before and after: insert_failed must rise by about one per lost query",
    command="conntrack -S; sleep 60; conntrack -S",
    at="node",
)
RULES = ListingRequest(
    what="The rules of the node with their counters: the rule that rises with the losses drops them",
    command="nft list ruleset; iptables-save -c",
    at="node",
)


@dataclass(frozen=True)
class Trouble:
    """`findings`: ids of the findings on this resolver. `lost` and `turned_away` (answered by an ICMP error) are by
    time."""

    dns: Dns
    resolver: Resolver
    lost: tuple[LostQuery, ...]
    turned_away: tuple[LostQuery, ...]
    findings: tuple[str, ...]
    notable: bool
    """Whether one of them is notable, and about more than one lookup."""

    @property
    def ceiling(self) -> float:
        """One lookup among many that waited is an accident: no cause of it is more than even odds."""
        return 0.999 if self.notable else ACCIDENT_CEILING

    @property
    def target(self) -> str:
        return str(self.resolver.server)

    @cached_property
    def by_lookup(self) -> dict[int, DelayedLookup]:
        return {one.lookup: one for one in self.resolver.delayed}

    @cached_property
    def of_pairs(self) -> tuple[LostQuery, ...]:
        """Lost although the other query of their socket was answered, and answered when put again."""
        return tuple(q for q in self.lost if q.pair_ns is not None and q.pair_answered and q.passed_again)

    @cached_property
    def mute(self) -> tuple[LostQuery, ...]:
        """Never answered, however often put."""
        return tuple(q for q in self.lost if not q.passed_again)

    @cached_property
    def failed(self) -> tuple[LostQuery, ...]:
        """Without a DNS answer on every try, whether or not an ICMP error came."""
        refused = (q for q in self.turned_away if not q.passed_again)
        return tuple(sorted((*self.mute, *refused), key=lambda q: (q.time_ns, q.question)))

    @cached_property
    def passing(self) -> tuple[LostQuery, ...]:
        """Answered when put again."""
        return tuple(q for q in self.lost if q.passed_again)

    @cached_property
    def half_answered(self) -> tuple[LostQuery, ...]:
        """Of those that were never answered: another query for the same name was."""
        rows, names = self.dns.exchanges.rows, self.dns.messages.names
        mine = self.dns.questions_to(self.resolver.server)
        answered = {names[n] for n in set(rows["name"][mine][rows["answer_ns"][mine] != NEVER].tolist())}
        return tuple(q for q in self.failed if q.name in answered)

    @property
    def answers_halves(self) -> bool:
        """Whether most of those that were never answered are so: the resolver was up and knew the name."""
        return 2 * len(self.half_answered) > len(self.failed)

    @cached_property
    def inside(self) -> tuple[LostQuery, ...]:
        """Of those that passed when put again: lost between two vantage points of one node."""
        return tuple(q for q in self.passing if q.where == "inside")

    def lookups(self, lost: Iterable[LostQuery]) -> list[DelayedLookup]:
        """The lookups that these belong to."""
        wanted = {q.lookup for q in lost}
        return [one for one in self.resolver.delayed if one.lookup in wanted]

    def lost_s(self, lookups: Iterable[DelayedLookup]) -> float:
        """What they waited beyond the usual."""
        return sum(max(0.0, one.wait_s - (self.resolver.usual_s or 0.0)) for one in lookups)

    def figures(self, lookups: Sequence[DelayedLookup]) -> tuple[tuple[str, str], ...]:
        """For the verdict strip."""
        figures = [(TIME_LOST, seconds_text(self.lost_s(lookups)))]
        figures.append(("max", seconds_text(max(one.wait_s for one in lookups))))
        if self.resolver.usual_s is not None:
            figures.append(("baseline", seconds_text(self.resolver.usual_s)))
        return (*figures, ("lookups", f"{len(lookups):,} of {self.resolver.lookups:,}"), ("to", self.target))

    def impact(self, lookups: Sequence[DelayedLookup]) -> ImpactPart:
        """The same as numbers."""
        return ImpactPart(
            unit="lookups",
            destination=self.target,
            affected=len(lookups),
            total=self.resolver.lookups,
            longest_s=max(one.wait_s for one in lookups),
            baseline_s=self.resolver.usual_s,
        )

    def hurt(self, lookups: Sequence[DelayedLookup]) -> str:
        """``7 of 45 lookups at 10.96.0.10:53 waited 5,007 ms``."""
        wait_s = median(one.wait_s for one in lookups)
        total = plural(self.resolver.lookups, "lookup")
        return f"{len(lookups):,} of {total} at {self.target} took {seconds_text(wait_s)}"

    def frames_of(self, lookups: Iterable[DelayedLookup]) -> list[EvidencePart]:
        """All messages of these lookups."""
        return frame_evidence(frame for one in lookups for frame in lookup_frames(self.dns, one))


def collect_troubles(facts: Facts, findings: Sequence[Case]) -> list[Trouble]:
    """One per resolver with a delayed lookup; queries to an address that stands for none are nobody's loss."""
    found = _of_all_resolvers(facts, findings)
    return [trouble for trouble in found if not stands_for_none(facts, trouble.resolver)]


def collect_unconfigured(facts: Facts, findings: Sequence[Case]) -> list[tuple[Trouble, str]]:
    """One per address that stands for no name server, with a query that was never answered, and what the address is."""
    found = [
        (trouble, stands_for_none(facts, trouble.resolver)) for trouble in _of_all_resolvers(facts, findings)
    ]
    return [(trouble, what) for trouble, what in found if trouble.failed and what]


def _of_all_resolvers(facts: Facts, findings: Sequence[Case]) -> list[Trouble]:
    found, delays = [], _by_destination(f for f in findings if f.kind == "dns-delay")
    for resolver in facts.dns.resolvers:
        if resolver.delayed_total:
            about = delays.get(str(resolver.server), [])
            queries, ids = facts.lost_queries[str(resolver.server)], tuple(f.id for f in about)
            notable = resolver.delayed_total > 1 and any(f.severity != "info" for f in about)
            lost = tuple(q for q in queries if not q.turned_away)
            turned_away = tuple(q for q in queries if q.turned_away)
            found.append(Trouble(facts.dns, resolver, lost, turned_away, ids, notable))
    return found


def _by_destination(findings: Iterable[Case]) -> dict[str, list[Case]]:
    found: dict[str, list[Case]] = {}
    for finding in findings:
        for target in {str(flow.destination) for flow in finding.flows}:
            found.setdefault(target, []).append(finding)
    return found


def query_frames(lost: Iterable[LostQuery], *, pairs: bool = False) -> list[EvidencePart]:
    """Frames of the lost queries, with those of the other query of their sockets if wanted."""
    frames: list[Frame] = []
    for query in lost:
        frames.extend(query.frames)
        frames.extend(query.pair_frames if pairs else ())
    return frame_evidence(frames)


def lost_frames(lost: Iterable[LostQuery]) -> frozenset[Frame]:
    """Frames of the lost queries, for `Hypothesis.explains`."""
    return frozenset(frame for query in lost for frame in query.frames)


def one_node(facts: Facts, query: LostQuery) -> bool:
    """Whether the place of the loss lies between two vantage points that are known to be of one node."""
    return any(same_node(facts.captures, query.inner, outer) for outer in query.outer)


def between(lost: Sequence[LostQuery]) -> tuple[str, str]:
    """Names of the vantage points around most of these losses."""
    pairs = [(q.inner.word, " or ".join(f"{p.word}" for p in q.outer)) for q in lost]
    return max(sorted(set(pairs)), key=pairs.count)


def lossy(facts: Facts, evidence: list[EvidencePart]) -> list[Weighed]:
    """The piece that a capture with holes adds to every claim of absence."""
    if not facts.quality.lossy and not facts.quality.dropped:
        return []
    text = "Packets are missing from the capture: an absent query or response may have been sent."
    return [Weighed(LOSSY_CAPTURE, text, evidence, "absence proves little in an incomplete capture")]


def story(trouble: Trouble, lookups: Sequence[DelayedLookup], lost: Sequence[LostQuery]) -> list[ClaimPart]:
    """The lookup that waited longest, described in steps."""
    one = max(lookups, key=lambda x: (x.wait_s, -x.start_ns))
    mine = [q for q in lost if q.lookup == one.lookup]
    steps = [_asked(trouble, one, mine)]
    rows = trouble.dns.exchanges.rows
    for question in one.questions:
        row = rows[question]
        if trouble.dns.lookups.repeated[question] and row["first_again_ns"] != NEVER:
            pause_s = int(row["first_again_ns"] - row["start_ns"]) / 1e9
            frames = trouble.frames_of([one])
            text = (
                f"It retried after {seconds_text(pause_s)}, from the same socket and with the same query id."
            )
            steps.append(ClaimPart(role="step", text=text, evidence=frames))
            break
    text = f"The response came {seconds_text(one.wait_s)} after the first query."
    if not one.answered:
        waited = f" in the {seconds_text(one.wait_s)} after the first query" if one.wait_s > 0 else ""
        text = f"No response came{waited}."
    return [*steps, ClaimPart(role="step", text=text, evidence=trouble.frames_of([one]))]


def _asked(trouble: Trouble, one: DelayedLookup, lost: Sequence[LostQuery]) -> ClaimPart:
    first = lost[0] if lost else None
    if first is not None and first.pair_ns is not None:
        fate = "one was answered" if first.pair_answered else "neither was answered"
        text = (
            f"{one.client} sent two queries for {first.name} from one socket, {first.pair_ns / 1000:,.0f} µs apart: "
            f"{fate}."
        )
        return ClaimPart(role="step", text=text, evidence=query_frames([first], pairs=True))
    name = first.name if first is not None else one.name
    evidence = query_frames([first]) if first is not None else trouble.frames_of([one])
    return ClaimPart(role="step", text=f"{one.client} queried {one.server} for {name}.", evidence=evidence)


def translated(facts: Facts, trouble: Trouble) -> tuple[bool | None, list[EvidencePart]]:
    """(whether the resolver's address is rewritten on the way: None where one side only was seen, frames or lines)."""
    server, sockets = trouble.resolver.server, trouble.dns.messages.sockets
    exchanges = trouble.dns.exchanges
    seen, at = exchanges.sightings, exchanges.sightings_at(trouble.dns.questions_to(server))
    at = at[seen["place"][at] != exchanges.rows["place"][exchanges.question[at]]]
    if not len(at):
        return None, []
    changed = at[sockets.server_low[seen["node"][at]] != server.low]
    shown = exchanges.question[changed if len(changed) else at][0]
    at = exchanges.messages_of(int(shown))
    rows, places = trouble.dns.messages.rows[at], trouble.dns.messages.places
    return bool(len(changed)), frame_evidence((places[int(r["place"])].input, int(r["frame"])) for r in rows)
