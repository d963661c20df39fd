"""From a cluster's objects and a capture to names in the report, in filters, and out of links that hide addresses."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache

import pytest

from backend.errors import InvalidRequest
from backend.forensics.report import NamePart, Report
from backend.services.list_packets import PacketOptions
from backend.services.name_words import name_sentence
from backend.services.open_tables import epoch_ns
from backend.services.outline_report import ReportOutline
from backend.services.packet_language.problem import BadFilter
from backend.services.read_report import read_report
from backend.services.redaction.names import Hiding
from backend.services.redaction.private_texts import read_names
from backend.services.redaction.shared_filter import shared_filter, shown_filter
from backend.services.redaction.typed_answer import shown_content
from backend.services.select_packets import select_by_filter
from backend.storage.store import Store
from workers.decode.objects.tests.cluster import TestPod, endpoint_slice, listed, node, pod, service
from workers.decode.tests.capture_bytes import ipv4, pcap
from workers.tests.stored_investigation import stored_investigation

START_S = 1_700_000_000
NS_PER_S = 10**9
SECONDS = 600
PODS = 200


def _time(after_s: int) -> str:
    return f"{datetime.fromtimestamp(START_S + after_s, UTC):%Y-%m-%dT%H:%M:%SZ}"


@cache
def _pods() -> list[TestPod]:
    """200 addresses; every fifth is another pod's from the fifth minute on, and nobody's for 10 s before."""
    found = []
    for number in range(1, PODS + 1):
        address, changes = f"10.244.1.{number}", number % 5 == 0
        name = f"app{number % 20}-7f9c4d5b6d-{number:05x}"
        found.append(
            TestPod("payments", name, address, "kind-worker", _time(-60), _time(290) if changes else None)
        )
        if changes:
            found.append(TestPod("web", f"next-{number:05x}", address, "kind-worker", _time(300)))
    return found


def _packets() -> list[tuple[int, bytes]]:
    """Each pod sends one SYN to the service in every minute."""
    packets = []
    for after_s in range(0, SECONDS, 60):
        for number in range(1, PODS + 1):
            head = (40_000 + after_s).to_bytes(2, "big") + (80).to_bytes(2, "big") + number.to_bytes(4, "big")
            segment = head + bytes(4) + b"\x50\x02\x04\x00" + bytes(4)
            source, target = f"10.244.1.{number}", "10.96.12.4"
            packets.append(
                (after_s * NS_PER_S + number * 1_000, ipv4(segment, source=source, destination=target))
            )
    return packets


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Store, str]]:
    folder = tmp_path_factory.mktemp("named")
    objects = [pod(each) for each in _pods()]
    objects += [service("payments", "checkout", "10.96.12.4"), node("kind-worker", "172.18.0.3")]
    objects += [endpoint_slice("payments", "checkout", _pods()[:10])]
    # The builder's services and nodes are younger than this capture.
    text = listed(objects).replace("2026-11-19T", "2023-11-01T")
    (folder / "objects.json").write_text(text)
    (folder / "pods.pcap").write_bytes(pcap(_packets()))
    store, investigation = stored_investigation(
        folder / "data", [folder / "objects.json", folder / "pods.pcap"]
    )
    yield store, investigation
    store.close()


def _truth(address: str, after_s: int) -> str | None:
    time = _time(after_s)
    for each in _pods():
        begins, ends = each.started <= time, each.deleted is None or time < each.deleted
        if each.address == address and begins and ends:
            return f"{each.namespace}/{each.name}"
    return None


def _named_at(report: Report, address: str, after_s: int) -> str | None:
    time_ns = (START_S + after_s) * NS_PER_S
    fitting = [each for each in report.names if each.address == address and _holds(each, time_ns)]
    assert len(fitting) <= 1
    return fitting[0].name if fitting else None


def _holds(name: NamePart, time_ns: int) -> bool:
    begin = epoch_ns(name.start) if name.start else 0
    return begin <= time_ns and (name.end is None or time_ns < epoch_ns(name.end))


def test_every_address_is_named_by_the_time_and_none_wrongly(kept: tuple[Store, str]) -> None:
    report = read_report(*kept)
    asked = [
        (f"10.244.1.{number}", after_s) for number in range(1, PODS + 1) for after_s in range(0, SECONDS, 5)
    ]
    said = {each: _named_at(report, *each) for each in asked}
    truth = {each: _truth(*each) for each in asked}
    wrong = {each for each in asked if said[each] is not None and said[each] != truth[each]}
    left_out = {each for each in asked if said[each] is None and truth[each] is not None}
    assert wrong == set()
    assert len(left_out) <= len(asked) / 100
    assert _named_at(report, "10.96.12.4", 0) == "payments/checkout"
    assert report.names_total == len(report.names) == PODS + PODS // 5 + 1


def test_a_name_leads_to_the_object_that_states_it(kept: tuple[Store, str]) -> None:
    report = read_report(*kept)
    first = next(each for each in report.names if each.name.startswith("web/next"))
    assert (first.evidence.input, first.start) == ("objects.json", _time(300).replace("Z", ".000000000Z"))
    assert name_sentence(first) == f"pod {first.name} since {first.start}"


@pytest.mark.parametrize(
    ("text", "packets"),
    [
        ('pod == "payments/app1-7f9c4d5b6d-00001"', 10),
        ('pod == "app1"', 100),
        # An address of two pods: five minutes each.
        ('pod == "payments/app5-7f9c4d5b6d-00005"', 5),
        ('pod == "next"', 5 * 40),
        ('pod == "web/" && frame.time_relative < 301', 40),
        ('service == "checkout"', 10 * PODS),
        ('service == "checkout" && !(pod == "next")', 10 * PODS - 200),
        ("pod", 10 * PODS),
    ],
)  # fmt: skip
def test_packets_of_a_pod_while_the_address_was_its(kept: tuple[Store, str], text: str, packets: int) -> None:
    assert select_by_filter(*kept, PacketOptions(filter=text)).packets == packets


def test_an_unknown_name_is_a_mistake_with_near_ones(kept: tuple[Store, str]) -> None:
    with pytest.raises(BadFilter) as mistake:
        select_by_filter(*kept, PacketOptions(filter='service == "chekout"'))
    assert mistake.value.did_you_mean == ('"payments/checkout"',)


def test_names_leave_links_that_hide_addresses_and_cannot_be_asked_for(kept: tuple[Store, str]) -> None:
    report = json.loads(read_report(*kept).model_dump_json(by_alias=True))
    hiding = Hiding(addresses=True, payload=False)
    names = read_names(*kept, hiding, b"k" * 32)
    for declared in (Report, ReportOutline):
        shown = shown_content(report, declared, names)
        assert (shown["names"], shown["names_total"]) == ([], 0)
        assert not any(word in json.dumps(shown) for word in ("app1-", "checkout", "kind-worker", "web/next"))
    assert "checkout" not in shown_filter('service == "checkout" && tcp', names)
    for text in ('pod == "app1"', 'service == "checkout"', "pod", "node"):
        with pytest.raises(InvalidRequest):
            shared_filter(text, names.text, hiding)
