"""What makes a lookup delayed, what does not, and what is counted once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from backend.forensics.captures import Capture
from backend.forensics.detection.contract import Detection
from backend.forensics.detectors.dns_delay.detector import detect
from backend.forensics.detectors.dns_delay.thresholds import Thresholds
from backend.forensics.evidence.facts import gather_facts
from backend.forensics.messages import HeldMessages, Messages, message_schema
from backend.forensics.tests.build_capture import MS, T0_NS, S
from backend.forensics.tests.build_dns import AAAA, BACKEND, NXDOMAIN, POD, A, DnsBuilder


def found(*captures: Capture | DnsBuilder, limits: Thresholds | None = None) -> Detection:
    built = [c.build() if isinstance(c, DnsBuilder) else c for c in captures]
    return detect(gather_facts(built, []), limits or Thresholds())


def count(*captures: Capture | DnsBuilder) -> int:
    return sum(f.count for f in found(*captures).findings)


def calm(capture: DnsBuilder, lookups: int = 10) -> DnsBuilder:
    for number in range(lookups):
        capture.lookup(T0_NS - S + number * 10 * MS, f"calm{number}.example")
    return capture


@pytest.mark.parametrize(("takes_ns", "delayed"), [(S - 1, 0), (S, 1)])
def test_an_answer_is_late_from_one_second_on(takes_ns: int, delayed: int) -> None:
    capture = calm(DnsBuilder())
    capture.query(T0_NS, 9, 1, "a.example")
    capture.answer(T0_NS + takes_ns, 9, 1, "a.example")
    assert count(capture) == delayed


@pytest.mark.parametrize(("recorded_ns", "delayed"), [(S - 1, 0), (S, 1)])
def test_a_query_is_unanswered_only_where_recording_went_on(recorded_ns: int, delayed: int) -> None:
    capture = calm(DnsBuilder())
    capture.query(T0_NS, 9, 1, "a.example")
    detection = found(capture.build(recorded=(T0_NS - S, T0_NS + recorded_ns)))
    assert sum(f.count for f in detection.findings) == delayed
    assert ("1 were still pending at the end of the capture" in detection.why) is (delayed == 0)


def test_nothing_is_claimed_of_an_address_that_answered_nobody() -> None:
    capture = calm(DnsBuilder())
    for number in range(9):
        capture.query(
            T0_NS, 9, number, "a.example", server=f"198.51.100.{number}", behind=f"198.51.100.{number}"
        )
    assert count(capture) == 0


def test_without_any_answer_nothing_can_be_told() -> None:
    capture = DnsBuilder()
    capture.query(T0_NS, 9, 1, "a.example")
    assert found(capture).status == "not-checkable"


def test_a_lossy_capture_proves_no_missing_answer_but_a_repeated_query() -> None:
    def capture_with(number_of_tries: int) -> Capture:
        capture = calm(DnsBuilder())
        for again in range(number_of_tries):
            capture.query(T0_NS + again * 5 * S, 9, 1, "a.example")
        built = capture.build()
        points = tuple(replace(p, dropped_by_capture=7) for p in built.vantage_points)
        return replace(built, vantage_points=points)

    assert (count(capture_with(1)), count(capture_with(2))) == (0, 1)


def test_one_lookup_is_counted_once_over_vantage_points_and_captures() -> None:
    places = ("pod", "bridge", "resolver")
    both = DnsBuilder(places=places)
    calm(both).lost_pair(T0_NS, "a.example")
    (finding,) = found(both).findings
    assert (finding.count, finding.measures["lookups_total"], finding.measures["retries"]) == (1, 11, 2)
    assert finding.measures["lost_at"] == ["between pod and resolver"]
    assert finding.time_lost_s == pytest.approx(5.0035, abs=0.001)


def test_a_capture_of_another_host_is_joined_though_its_clock_is_off() -> None:
    client, server = DnsBuilder("client.pcap", ("eth0",)), DnsBuilder("server.pcap", ("eth1",))
    calm(client).lost_pair(T0_NS, "a.example")
    both = client.build()
    calm(server).lost_pair(T0_NS, "a.example", inside=False)
    (finding,) = found(both, _without(shifted(server.build(), 7 * S), (T0_NS + 7 * S + MS // 2,))).findings
    assert (finding.count, finding.measures["lookups_total"]) == (1, 11)
    assert finding.measures["lost_at"] == ["between eth0 and eth1"]


def shifted(capture: Capture, by_ns: int) -> Capture:
    """The same by a clock that is ahead."""
    table = capture.messages.dns.read(message_schema("dns").names)
    at = table.schema.get_field_index("time_ns")
    moved = table.set_column(at, "time_ns", pc.add(table.column("time_ns"), by_ns))
    points = tuple(
        replace(p, first_ns=p.first_ns + by_ns, last_ns=p.last_ns + by_ns) for p in capture.vantage_points
    )
    return replace(capture, messages=Messages(dns=HeldMessages(moved)), vantage_points=points)


def _without(capture: Capture, times_ns: Sequence[int]) -> Capture:
    table = capture.messages.dns.read(message_schema("dns").names)
    kept = table.filter(pc.invert(pc.is_in(table.column("time_ns"), pa.array(times_ns, pa.int64()))))
    assert kept.num_rows == table.num_rows - len(times_ns)
    return replace(capture, messages=Messages(dns=HeldMessages(kept)))


def test_a_program_that_polls_with_one_id_does_not_wait() -> None:
    capture = calm(DnsBuilder())
    for number in range(30):
        capture.query(T0_NS + number * 5 * S, 9, 1, "poll.example")
        capture.answer(T0_NS + number * 5 * S + MS, 9, 1, "poll.example")
    assert count(capture) == 0


@pytest.mark.parametrize(("pause_ns", "delayed"), [(699 * MS, 0), (700 * MS, 1)])
def test_a_new_socket_asks_again_or_is_another_caller(pause_ns: int, delayed: int) -> None:
    capture = calm(DnsBuilder())
    capture.query(T0_NS, 9, 1, "a.example")
    capture.query(T0_NS + pause_ns, 10, 2, "a.example")
    capture.answer(T0_NS + pause_ns + MS, 10, 2, "a.example")
    capture.answer(T0_NS + 900 * MS, 9, 1, "a.example")
    assert count(capture) == delayed


def test_of_a_mute_resolver_each_lookup_counts() -> None:
    capture = calm(DnsBuilder())
    for number in range(4):
        capture.mute(T0_NS + number * 10_010 * MS, "mute.example")
    (finding,) = found(capture).findings
    assert (finding.count, finding.measures["retries"], finding.measures["unanswered"]) == (4, 8, 4)
    assert finding.measures["retry_schedule"] == "5 s, same socket (glibc)"


def test_go_asks_twice_with_new_ids_and_then_gives_up() -> None:
    capture = calm(DnsBuilder())
    for number in range(4):
        capture.query(T0_NS + number * 5 * S, 100 + number, number, "mute.example")
    (finding,) = found(capture).findings
    assert (finding.count, finding.measures["retries"]) == (2, 2)


def test_names_of_a_search_list_are_one_lookup() -> None:
    capture = calm(DnsBuilder())
    at_ns = T0_NS
    for suffix in (".default.svc.cluster.local", ".svc.cluster.local", ".cluster.local", ""):
        capture.lookup(at_ns, f"api.example.com{suffix}", rcode=NXDOMAIN if suffix else 0)
        at_ns += 3 * MS
    at_ns += 2 * S
    capture.lost_pair(at_ns, "api.example.com.default.svc.cluster.local")
    (finding,) = found(capture).findings
    assert finding.count == 1
    assert (finding.measures["lookups_total"], finding.measures["search_expansions"]) == (12, 3)


@pytest.mark.parametrize(("takes_ms", "delayed"), [(330, 0), (335, 1)])
def test_a_search_list_that_takes_a_second_is_a_delay(takes_ms: int, delayed: int) -> None:
    capture, at_ns = calm(DnsBuilder()), T0_NS
    for suffix in (".svc.cluster.local", ".cluster.local", ""):
        capture.lookup(
            at_ns, f"api.example.com{suffix}", takes_ns=takes_ms * MS - MS // 2, rcode=NXDOMAIN * bool(suffix)
        )
        at_ns += takes_ms * MS + MS
    assert count(capture) == delayed


def test_other_names_of_one_host_are_other_lookups() -> None:
    capture = calm(DnsBuilder())
    capture.lookup(T0_NS, "www.one.com", rcode=NXDOMAIN)
    capture.lookup(T0_NS + 3 * MS, "www.two.org")
    capture.lost_pair(T0_NS + S, "a.example")
    assert found(capture).findings[0].measures["lookups_total"] == 13


@pytest.mark.parametrize(
    ("names", "together"),
    [
        (["www.example.com", "www.example.org"], False),  # they begin alike: nobody appended anything
        (["api.example.com.cluster.local", "api.example.com.eu.internal", "api.example.com"], True),
        (["api.example.com.cluster.local", "api.example.com.eu.internal"], False),
        (["db.corp.example.net", "db.prod.internal", "db"], True),
    ],
)
def test_a_search_list_appends_to_the_whole_name(names: Sequence[str], together: bool) -> None:
    capture = calm(DnsBuilder())
    for number, name in enumerate(names):
        capture.lookup(T0_NS + number * 3 * MS, name, rcode=NXDOMAIN if name != names[-1] else 0)
    capture.lost_pair(T0_NS + S, "a.example")
    assert found(capture).findings[0].measures["lookups_total"] == 11 + (1 if together else len(names))


def test_suffixes_that_were_appended_to_one_whole_name_are_known_for_others() -> None:
    capture = calm(DnsBuilder())
    for number, suffix in enumerate((".cluster.local", ".eu.internal", "")):
        capture.lookup(T0_NS + number * 3 * MS, f"api.example.com{suffix}", rcode=NXDOMAIN if suffix else 0)
        if suffix:
            capture.lookup(T0_NS + (100 + number * 3) * MS, f"db.vpn{suffix}", rcode=NXDOMAIN * (number == 0))
    capture.lost_pair(T0_NS + S, "a.example")
    assert found(capture).findings[0].measures["lookups_total"] == 13


def test_a_truncated_answer_and_tcp_are_one_lookup() -> None:
    capture = calm(DnsBuilder())
    capture.query(T0_NS, 9, 1, "big.example")
    capture.answer(T0_NS + MS, 9, 1, "big.example", truncated=True)
    capture.query(T0_NS + 3 * MS, 10, 1, "big.example", over_tcp=1)
    capture.answer(T0_NS + 5 * MS, 10, 1, "big.example", over_tcp=1)
    capture.lost_pair(T0_NS + S, "a.example")
    (finding,) = found(capture).findings
    assert (finding.measures["lookups_total"], finding.measures["truncated"]) == (12, 1)


def test_what_the_resolver_asks_meanwhile_is_no_lookup_of_its_own() -> None:
    capture = calm(DnsBuilder())
    capture.query(T0_NS, 9, 1, "far.example")
    capture.query(T0_NS + MS, 77, 2, "far.example", client="10.96.0.10", server="8.8.8.8")
    capture.answer(T0_NS + 2_000 * MS, 77, 2, "far.example", client="10.96.0.10", server="8.8.8.8")
    capture.answer(T0_NS + 2_001 * MS, 9, 1, "far.example")
    detection = found(capture)
    assert [(f.count, f.affected[0]["source"]) for f in detection.findings] == [(1, POD)]
    assert "1 of 11 DNS lookups" in detection.why


def test_name_servers_among_themselves_are_left_out() -> None:
    capture = DnsBuilder()
    for number in range(5):
        capture.query(T0_NS, 9, number, "a.example", recursive=False)
    assert found(capture).status == "not-checkable"
    assert "between name servers" in found(capture).why


def test_a_mirror_copy_is_no_retry() -> None:
    capture = calm(DnsBuilder())
    for copy_ns in (0, 49 * MS):
        capture.query(T0_NS + copy_ns, 9, 1, "a.example")
    capture.answer(T0_NS + 60 * MS, 9, 1, "a.example")
    assert count(capture) == 0


def test_two_askers_with_one_id_are_two_lookups() -> None:
    capture = calm(DnsBuilder(places=("pod", "resolver")))
    for port in (9, 10):
        capture.query(T0_NS, port, 1, "a.example", client=f"10.244.1.{port}")
        capture.answer(T0_NS + MS, port, 1, "a.example", client=f"10.244.1.{port}")
    capture.lost_pair(T0_NS + S, "b.example")
    assert found(capture).findings[0].measures["lookups_total"] == 13


def test_a_query_that_reached_the_resolver_is_not_lost_on_its_way() -> None:
    capture = calm(DnsBuilder(places=("pod", "resolver")))
    capture.mute(T0_NS, "mute.example")
    assert found(capture).findings[0].measures["lost_at"] == ["beyond resolver"]


def test_an_answer_lost_on_its_way_back_is_told_as_such() -> None:
    capture = calm(DnsBuilder(places=("pod", "resolver")))
    for again in (0, 5 * S):
        capture.query(T0_NS + again, 9, 1, "a.example")
        capture.answer(
            T0_NS + again + MS, 9, 1, "a.example", seen=("pod", "resolver") if again else ("resolver",)
        )
    assert found(capture).findings[0].measures["lost_at"] == ["return path, between resolver and pod"]


@pytest.mark.parametrize(
    ("lookups", "delayed", "severity"),
    [
        (10, 1, "info"),
        (10, 2, "warning"),
        (401, 2, "info"),
        (400, 2, "warning"),
        (20, 4, "warning"),
        (101, 5, "warning"),
        (100, 5, "critical"),
    ],
)
def test_severity_follows_number_and_share(lookups: int, delayed: int, severity: str) -> None:
    capture = calm(DnsBuilder(), lookups - delayed)
    for number in range(delayed):
        capture.lost_pair(T0_NS + number * 10 * S, f"lost{number}.example")
    assert found(capture).findings[0].severity == severity


@pytest.mark.parametrize(("places", "severity"), [(("pod",), "info"), (("pod", "bridge"), "warning")])
def test_one_lookup_whose_lost_query_was_located_is_a_warning(places: tuple[str, ...], severity: str) -> None:
    capture = calm(DnsBuilder(places=places), 999)
    capture.lost_pair(T0_NS, "lost.example")
    (finding,) = found(capture).findings
    assert (finding.count, finding.severity) == (1, severity)


def test_the_order_of_the_files_does_not_matter() -> None:
    one, two = DnsBuilder("a.pcap", ("pod",)), DnsBuilder("b.pcap", ("resolver",))
    for capture in (one, two):
        calm(capture)
        capture.mute(T0_NS, "mute.example")
    assert found(one, two) == found(two, one)


def test_the_first_seen_sender_is_not_always_who_asks() -> None:
    capture = DnsBuilder()
    capture.answer(T0_NS - 2 * S, 9, 8, "before.example", client=BACKEND, server=POD)
    for number in range(3):
        capture.query(T0_NS + number * S, 9, number, "a.example", A + (AAAA - A) * (number % 2))
        capture.answer(T0_NS + number * S + MS, 9, number, "a.example", A + (AAAA - A) * (number % 2))
    assert found(capture).status == "clear"
