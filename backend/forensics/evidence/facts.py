"""Everything the detectors may know, gathered once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from backend.forensics.captures import Capture
from backend.forensics.evidence.absence.address_conflicts import AddressConflict, find_address_conflicts
from backend.forensics.evidence.absence.icmp_reported import icmp_reported
from backend.forensics.evidence.absence.listed_hosts import ListedHosts
from backend.forensics.evidence.absence.losses import Losses, locate_losses
from backend.forensics.evidence.absence.measured_times import measured_attempts, without_made_up_trips
from backend.forensics.evidence.absence.server_captures import ServerCaptures
from backend.forensics.evidence.absence.unresolved import resolved_groups
from backend.forensics.evidence.attempts.attempts import Attempts, collect_attempts
from backend.forensics.evidence.attempts.challenges import Challenge, find_challenges
from backend.forensics.evidence.attempts.delays import Delays, measure_delays
from backend.forensics.evidence.attempts.icmp_errors import IcmpErrors, join_icmp_errors
from backend.forensics.evidence.attempts.one_way import unheard_hosts
from backend.forensics.evidence.attempts.retried import Endpoint
from backend.forensics.evidence.attempts.sent_syns import Bools
from backend.forensics.evidence.attempts.waits import Waits, measure_waits
from backend.forensics.evidence.clocks.capture_quality import CaptureQuality, judge_quality
from backend.forensics.evidence.clocks.clocks import ClockOffset, Clocks
from backend.forensics.evidence.dns.delayed import Dns, collect_lookups
from backend.forensics.evidence.dns.lost_queries import LostQuery, find_lost_queries
from backend.forensics.evidence.kernel.counters import DumpInput, KernelFacts, gather_kernel_facts
from backend.forensics.evidence.kernel.host_signs import list_hosts
from backend.forensics.evidence.kernel.interface_names import name_interfaces
from backend.forensics.evidence.kernel.kernel_signs import throttled_share
from backend.forensics.evidence.losses.data_loss import DataOfHosts
from backend.forensics.evidence.losses.destinations import Destination, list_destinations
from backend.forensics.evidence.losses.rivals import Rival, find_rivals
from backend.forensics.evidence.losses.segment_losses import SegmentLosses
from backend.forensics.evidence.losses.time_stamps import StampedSyns
from backend.forensics.evidence.merged_clocks import align_interfaces
from backend.forensics.evidence.nat.drawn_ports import DrawnPort, find_drawn
from backend.forensics.evidence.nat.ipvs_servers import Drain, find_drains
from backend.forensics.evidence.nat.misdelivered import Misdelivered, find_misdelivered
from backend.forensics.evidence.nat.port_pools import PortPool, find_exhausted, find_pools
from backend.forensics.evidence.nat.port_reuse import PortReuse, find_reuse
from backend.forensics.evidence.nat.service_returns import (
    ForeignAnswers,
    Hairpin,
    find_foreign_answers,
    find_hairpins,
)
from backend.forensics.evidence.nat.untranslated import UnNatedPacket, find_un_nated
from backend.forensics.evidence.requests.early_closes import EarlyCloses, find_early_closes
from backend.forensics.evidence.requests.exchanges import Exchanges, join_exchanges
from backend.forensics.evidence.requests.latency_breakdown import LatencyBreakdown, dissect_requests
from backend.forensics.evidence.requests.metadata_calls import MetadataUse, find_metadata_calls, metadata_uses
from backend.forensics.evidence.requests.metadata_pattern import Pattern, find_pattern
from backend.forensics.evidence.requests.request_shapes import Shape, list_shapes
from backend.forensics.evidence.requests.service_times import ShapeTimes, measure_service_times
from backend.forensics.evidence.requests.token_calls import TokenUse, find_token_uses
from backend.forensics.evidence.round_trips.far_side import FarSide
from backend.forensics.evidence.round_trips.held_groups import HeldGroup, find_groups
from backend.forensics.evidence.round_trips.late_crossings import LateCrossings
from backend.forensics.evidence.round_trips.round_trips import RoundTrips, gather_round_trips
from backend.forensics.evidence.round_trips.routed_hosts import RoutedHosts
from backend.forensics.evidence.tcp.held_writes import HeldWrites, find_held_writes
from backend.forensics.evidence.tcp.limited_by import ConnectionLimits, limit_connections
from backend.forensics.evidence.tcp.repeated_answers import RepeatedAnswers
from backend.forensics.evidence.tcp.tcp_anomalies import TcpAnomalies, collect_anomalies
from backend.forensics.evidence.tcp.wrong_checksums import WrongChecksums, find_wrong_checksums

RIVAL_WINDOW_NS = 1_000_000
"""Two SYNs race for a tuple only while neither conntrack entry is confirmed: docs/detection.md bounds it by 1
ms."""


@dataclass(frozen=True)
class Facts:
    """`rivals` is keyed by the index in `losses`."""

    captures: tuple[Capture, ...]
    attempts: Attempts
    delays: Delays
    losses: Losses
    rivals: dict[int, Rival]
    kernel: KernelFacts
    """Listings of all hosts."""
    quality: CaptureQuality
    interface_offsets: tuple[ClockOffset, ...] = ()
    """By what clocks of interfaces of one merged capture differed; their times are corrected."""

    @property
    def clocks(self) -> Clocks:
        """How far the captures' clocks are apart."""
        return self.attempts.clocks

    @property
    def has_packets(self) -> bool:
        return any(capture.packets for capture in self.captures)

    @cached_property
    def listed_hosts(self) -> ListedHosts:
        """Whose listings they are."""
        dumps = self.kernel.dumps
        hosts = list_hosts(dumps, [d.host or d.dump.host for d in dumps])
        return ListedHosts(hosts, self.attempts, self.captures)

    @property
    def node(self) -> KernelFacts:
        """Listings of the node that passes these packets on and translates them."""
        return self.kernel if not self.listed_hosts.hosts else self.listed_hosts.forwarding.kernel

    def kernel_at(self, endpoint: Endpoint) -> KernelFacts:
        """Listings of the host that has this address."""
        return self.listed_hosts.at(endpoint).kernel

    @cached_property
    def port_reuse(self) -> PortReuse:
        """Attempts on tuples of earlier connections."""
        return find_reuse(self.captures, self.attempts, self.node.dumps)

    @cached_property
    def challenges(self) -> dict[int, Challenge]:
        """By link: attempts whose SYN was answered by an ACK of another connection."""
        return find_challenges(self.attempts)

    @cached_property
    def port_pools(self) -> tuple[PortPool, ...]:
        """Outgoing ports of source NAT and their use."""
        return find_pools(self.captures, self.attempts, self.node)

    @cached_property
    def exhausted(self) -> dict[int, PortPool]:
        """By index in `losses`: the pool that had no port left for that SYN."""
        return find_exhausted(self.port_pools, self.losses)

    @cached_property
    def drawn_ports(self) -> dict[int, DrawnPort]:
        """By index in `losses`: SYNs lost beside another one that drew a port of the same short range."""
        explained = self.rivals.keys() | self.exhausted.keys()
        return find_drawn(self.attempts, self.losses, self.port_pools, explained, within_ns=RIVAL_WINDOW_NS)

    @cached_property
    def destinations(self) -> tuple[Destination, ...]:
        """Attempts with SYN retransmissions by destination, with who else was answered there."""
        errors, hosts = self.icmp_errors, self.listed_hosts
        return list_destinations(
            self.captures,
            self.attempts,
            self.losses,
            errors,
            lambda endpoint: hosts.at(endpoint).host if hosts.hosts else None,
        )

    @cached_property
    def unheard_hosts(self) -> NDArray[np.uint64]:
        """Keys of hosts whose answers pass no vantage point: their silence means nothing."""
        return unheard_hosts(self.captures)

    @cached_property
    def reported_by_icmp(self) -> Bools:
        """Beside `losses`: an ICMP error answered that SYN."""
        return icmp_reported(self.losses, self.icmp_errors)

    @cached_property
    def data_of_hosts(self) -> DataOfHosts:
        """Data segments exchanged with each host, at each vantage point."""
        return DataOfHosts(self.captures)

    @cached_property
    def repeated_answers(self) -> RepeatedAnswers:
        """SYN-ACKs that came again although the client had acknowledged them, by server."""
        return RepeatedAnswers(self.captures)

    @cached_property
    def stamped_syns(self) -> StampedSyns:
        """SYNs with time stamps, by the host they went to."""
        return StampedSyns(self.attempts)

    @cached_property
    def icmp_errors(self) -> IcmpErrors:
        """Errors with what they quote."""
        return join_icmp_errors(self.captures, self.attempts)

    @cached_property
    def address_conflicts(self) -> tuple[AddressConflict, ...]:
        """Addresses for which two MAC addresses answer."""
        return find_address_conflicts(self.captures)

    @cached_property
    def wrong_checksums(self) -> tuple[WrongChecksums, ...]:
        """Packets with one, by vantage point and by what it means."""
        return find_wrong_checksums(self.captures, self.attempts.places)

    @cached_property
    def dns(self) -> Dns:
        """Lookups, and which of them waited."""
        return collect_lookups(self.captures, lossy=self.quality.lossy or bool(self.quality.dropped))

    @cached_property
    def anomalies(self) -> TcpAnomalies:
        """Where TCP connections sent again, stood still or woke up."""
        return collect_anomalies(self.captures, self.attempts)

    @cached_property
    def un_nated(self) -> tuple[UnNatedPacket, ...]:
        """Packets that reached a client past the translation of addresses."""
        return find_un_nated(self.attempts, self.anomalies)

    @cached_property
    def early_closes(self) -> list[EarlyCloses]:
        """Idle connections that their server closed while the client sent."""
        return find_early_closes(self.captures, self.attempts, self.exchanges)

    @cached_property
    def hairpins(self) -> list[Hairpin]:
        """SYNs that a service translated to their own sender."""
        return find_hairpins(self.attempts)

    @cached_property
    def misdelivered(self) -> Misdelivered:
        """SYN-ACKs that were sent on to somebody else than the client."""
        return find_misdelivered(self.captures, self.attempts)

    @cached_property
    def foreign_answers(self) -> list[ForeignAnswers]:
        """SYN-ACKs from an address that the client had not asked, by service."""
        return find_foreign_answers(self.attempts)

    @cached_property
    def lost_queries(self) -> dict[str, list[LostQuery]]:
        """By resolver (address and port in text): queries without an answer of its delayed lookups."""
        return {str(r.server): find_lost_queries(self.dns, r) for r in self.dns.resolvers if r.delayed_total}

    @cached_property
    def exchanges(self) -> Exchanges:
        """HTTP exchanges, each once."""
        return join_exchanges(self.captures, self.attempts.sightings)

    @cached_property
    def metadata_uses(self) -> tuple[MetadataUse, ...]:
        """Calls to metadata services by caller, with the requests that the caller served."""
        return metadata_uses(self.exchanges, find_metadata_calls(self.captures, self.exchanges))

    @cached_property
    def metadata_patterns(self) -> tuple[Pattern, ...]:
        """Beside `metadata_uses`: how often, how soon and how slow."""
        return tuple(find_pattern(use) for use in self.metadata_uses)

    @cached_property
    def breakdown(self) -> LatencyBreakdown:
        """What served requests consist of."""
        sightings = self.attempts.sightings
        return dissect_requests(self.captures, sightings, self.exchanges, self.metadata_uses, self.dns)

    @cached_property
    def token_uses(self) -> tuple[TokenUse, ...]:
        """Connections to token services by caller, with the requests that the caller served."""
        return find_token_uses(self.captures, self.attempts.sightings, self.exchanges, lambda: self.breakdown)

    @cached_property
    def service_times(self) -> tuple[ShapeTimes, ...]:
        """Requests by shape, where an answer was late for its shape."""
        sightings, uses = self.attempts.sightings, self.metadata_uses
        return measure_service_times(
            self.captures, sightings, self.exchanges, uses, lambda: self.breakdown, self._mostly_stopped
        )

    def _mostly_stopped(self, server: Endpoint) -> bool:
        """Whether its host stopped a control group in most periods of its CPU quota."""
        return throttled_share(self.kernel_at(server)) > 0.5

    @cached_property
    def held_writes(self) -> HeldWrites:
        """Small writes that waited for a delayed ACK."""
        return find_held_writes(self.captures, self.attempts.sightings)

    @cached_property
    def segment_losses(self) -> SegmentLosses:
        """Where segments that were sent again were lost."""
        return SegmentLosses(self.captures, self.attempts, self.anomalies)

    def lookup_time_ns(self, place: int, time_ns: int) -> int:
        """A time that the lookups show of a place, on the reference clock of all captures. Lookups have one of their
        own: they compare clocks by queries."""
        own_ns = time_ns + int(self.dns.exchanges.offsets.of_place[place])
        return self.clocks.at_reference(self.dns.messages.places[place].capture, own_ns)

    @cached_property
    def request_shapes(self) -> list[Shape]:
        """Served requests by what they ask for and whom they make their server ask, the costliest first."""
        return list_shapes(self.captures, self.exchanges, self.breakdown)

    @cached_property
    def row_of_link(self) -> dict[int, int]:
        """By link of an attempt sent again: its row in `Attempts.table`."""
        retried = self.attempts.retried
        return dict(zip(retried.link.tolist(), retried.row.tolist(), strict=True))

    @cached_property
    def losses_of_link(self) -> Counter[int]:
        """By link of an attempt: how many of its SYNs were lost."""
        return Counter(self.attempts.retried.link[self.losses.attempt].tolist())

    @cached_property
    def round_trips(self) -> RoundTrips:
        """Samples of pairs of hosts in which late answers came together."""
        return gather_round_trips(self.captures, self.attempts.sightings, self.kernel.dumps)

    @cached_property
    def held_groups(self) -> tuple[HeldGroup, ...]:
        """Late answers that came together, whatever held them but an unresolved link address."""
        groups = find_groups(self.round_trips)
        return resolved_groups(groups, self.round_trips, self.attempts, self.icmp_errors)

    @cached_property
    def far_side(self) -> FarSide:
        """The same samples at vantage points nearer to the responder."""
        return FarSide(self.round_trips)

    @cached_property
    def late_crossings(self) -> LateCrossings:
        """Packets that needed longer than usual between two vantage points."""
        return LateCrossings(self.captures, self.attempts, self.round_trips, self.far_side.farthest)

    @cached_property
    def server_captures(self) -> ServerCaptures:
        """Which servers a capture was taken at."""
        return ServerCaptures(self.attempts)

    @cached_property
    def routed_hosts(self) -> RoutedHosts:
        """Whose packets had passed a router before which vantage point."""
        return RoutedHosts(self.attempts.sightings)

    @cached_property
    def ipvs_drains(self) -> tuple[Drain, ...]:
        """Real servers that IPVS was to send nothing new to, and what they still received."""
        return find_drains(self.attempts, self.node)

    @cached_property
    def connection_limits(self) -> ConnectionLimits:
        """What limited each connection that transferred data."""
        return limit_connections(self.captures, self.attempts)

    @cached_property
    def waits(self) -> Waits:
        """Connect times, round trips and service times of each destination, the most used first."""
        return measure_waits(self.captures, self.attempts)

    def baseline_connect_s(self, server: tuple[int, int, int]) -> float | None:
        """Median handshake time to (high, low, port) over connections whose SYN was sent once; None without
        any."""
        return self.delays.baseline_s.get(server)


def gather_facts(captures: Sequence[Capture], dumps: Sequence[DumpInput]) -> Facts:
    """Join the captures, locate the losses, read the dumps. Inputs in any order give the same facts."""
    named = name_interfaces(sorted(captures, key=lambda c: (c.name, c.sha256)), dumps)
    aligned = [align_interfaces(capture) for capture in named]
    ordered = [without_made_up_trips(capture) for capture, _ in aligned]
    attempts = collect_attempts(ordered)
    losses = locate_losses(attempts)
    rivals = find_rivals(attempts, losses, within_ns=RIVAL_WINDOW_NS)
    kernel = gather_kernel_facts(sorted(dumps, key=lambda d: (d.input, d.dump.kind)))
    delays = measure_delays(attempts, measured_attempts(ordered, attempts))
    offsets = tuple(offset for _, found in aligned for offset in found)
    return Facts(tuple(ordered), attempts, delays, losses, rivals, kernel, judge_quality(ordered), offsets)
