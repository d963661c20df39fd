"""Names in what kubectl, docker and crictl print as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from backend.forensics.dumps import AddressName, Dump
from workers.decode.dumps import parse_dump_bytes
from workers.decode.objects.tests.cluster import (
    TestPod,
    endpoint_slice,
    listed,
    many_pods,
    node,
    pod,
    service,
)

CHECKOUT = TestPod("payments", "checkout-7f9c4d5b6d-x2x7k", "10.244.1.17", "kind-worker")
PROXY = TestPod("kube-system", "kube-proxy-k8x2p", "172.18.0.3", "kind-worker", host_network=True)
OBJECTS = [
    pod(CHECKOUT), pod(PROXY), service("payments", "checkout", "10.96.12.4"), service("payments", "headless", "None"),
    node("kind-worker", "172.18.0.3"), endpoint_slice("payments", "checkout", [CHECKOUT]),
]  # fmt: skip


def _named(dump: Dump) -> set[tuple[str, str, str]]:
    return {(each.address, each.name, each.sort) for each in dump.address_names}


EXPECTED = {
    ("10.244.1.17", "payments/checkout-7f9c4d5b6d-x2x7k", "pod"),
    ("10.96.12.4", "payments/checkout", "service"),
    ("172.18.0.3", "kind-worker", "node"),
}


@pytest.mark.parametrize("indent", [4, 2, None])
def test_a_list_of_kubectl_in_any_layout(indent: int | None) -> None:
    (dump,) = parse_dump_bytes(json.dumps(json.loads(listed(OBJECTS)), indent=indent).encode())
    assert dump.kind == "kubernetes-objects"
    assert (_named(dump), dump.lines_not_understood, dump.warnings) == (EXPECTED, (), ())


def _yaml(value: object) -> str:
    class Printed(yaml.CSafeDumper):
        def ignore_aliases(self, data: object) -> bool:
            return True

    return yaml.dump(value, Dumper=Printed)


def test_a_list_of_kubectl_as_yaml() -> None:
    text = (
        "node-1$ kubectl get pods -A -o yaml\n"
        + _yaml(json.loads(listed(OBJECTS)))
        + "node-1$ uname -r\n6.8.0-45-generic\n"
    )
    objects, other = parse_dump_bytes(text.encode())
    assert (_named(objects), objects.lines_not_understood, objects.warnings) == (EXPECTED, (), ())
    lines = {each.name: each.line for each in objects.address_names if each.from_ns is not None}
    begins = [number for number, line in enumerate(text.split("\n"), 1) if line == "- apiVersion: v1"]
    assert lines["payments/checkout-7f9c4d5b6d-x2x7k"] == begins[0]
    assert other.kernel is not None
    assert text.split("\n")[other.kernel.line - 1] == "6.8.0-45-generic"


@pytest.mark.parametrize("each", [pod(CHECKOUT), endpoint_slice("payments", "checkout", [CHECKOUT])])
def test_single_objects_as_yaml_one_behind_the_other(each: dict[str, Any]) -> None:
    text = _yaml(each) + "---\n" + _yaml(node("kind-worker", "172.18.0.3"))
    named = set().union(*map(_named, parse_dump_bytes(text.encode())))
    assert named == {
        ("10.244.1.17", "payments/checkout-7f9c4d5b6d-x2x7k", "pod"),
        ("172.18.0.3", "kind-worker", "node"),
    }


@pytest.mark.parametrize("printed", [lambda each: json.dumps(each, indent=4), json.dumps, _yaml])
@pytest.mark.parametrize("before", [1, 300_000, (256 << 10) - 20, (256 << 10) - 21])
def test_a_document_anywhere_in_a_long_text(printed: Callable[[object], str], before: int) -> None:
    line = "a line that nothing prints "
    text = (
        (line * (before // len(line) + 1))[:before]
        + "\n"
        + printed(pod(CHECKOUT))
        + "\nnode-1$ uname -r\n6.8.0\n"
    )
    dump = parse_dump_bytes(text.encode())[0]
    assert [(each.address, each.line) for each in dump.address_names] == [("10.244.1.17", 2)]


def test_a_list_of_yaml_cut_at_any_place_names_nothing_wrong() -> None:
    whole = _yaml(json.loads(listed([pod(each) for each in many_pods(5)]))).encode()
    (expected,) = parse_dump_bytes(whole)
    for length in range(400, len(whole) - 60, 97):
        dumps = parse_dump_bytes(whole[:length])
        names = [name for dump in dumps for name in dump.address_names]
        assert names == list(expected.address_names[: len(names)])
        assert not dumps or "cut short" in dumps[0].warnings[0]


@pytest.mark.parametrize(
    "spec",
    ["[" * 100_000, "\n" + "".join(" " * n + "a:\n" for n in range(3, 3_000)), "&x {a: *x}", "{[1]: 2}"],
    ids=["flow", "block", "alias", "key"],
)
def test_yaml_that_kubectl_never_prints_is_counted_as_not_understood(spec: str) -> None:
    text = (
        f"apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Pod\n  spec: {spec}\n"
        + "".join(
            f"- {line}\n" if index == 0 else f"  {line}\n"
            for index, line in enumerate(_yaml(pod(CHECKOUT)).splitlines())
        )
        + "kind: List\n"
    )
    (dump,) = parse_dump_bytes(text.encode())
    assert dump.lines_not_understood == (3,)
    assert [each.address for each in dump.address_names] == ["10.244.1.17"]


def test_a_name_leads_to_the_line_where_its_object_begins() -> None:
    text = listed(OBJECTS)
    (dump,) = parse_dump_bytes(text.encode())
    begins = [number for number, line in enumerate(text.split("\n"), 1) if line == "        {"]
    lines = {each.name: each.line for each in dump.address_names if each.from_ns is not None}
    assert lines["payments/checkout-7f9c4d5b6d-x2x7k"] == begins[0]
    assert lines["kind-worker"] == begins[4]
    assert dump.lines == text.count("\n")


def test_a_single_pod_whose_volume_has_items() -> None:
    (dump,) = parse_dump_bytes(json.dumps(pod(CHECKOUT), indent=4).encode())
    assert _named(dump) == {("10.244.1.17", "payments/checkout-7f9c4d5b6d-x2x7k", "pod")}


def test_a_list_of_the_api_does_not_repeat_the_kind() -> None:
    bare = {key: value for key, value in pod(CHECKOUT).items() if key not in ("kind", "apiVersion")}
    whole = {"kind": "PodList", "apiVersion": "v1", "metadata": {"resourceVersion": "7"}, "items": [bare]}
    for indent in (2, None):
        (dump,) = parse_dump_bytes(json.dumps(whole, indent=indent).encode())
        assert _named(dump) == {("10.244.1.17", "payments/checkout-7f9c4d5b6d-x2x7k", "pod")}


@pytest.mark.parametrize("indent", [4, None])
def test_a_list_cut_at_64_kb_names_the_damage_and_keeps_what_is_whole(indent: int | None) -> None:
    whole = json.dumps(json.loads(listed([pod(each) for each in many_pods(40)])), indent=indent).encode()
    (expected,) = parse_dump_bytes(whole)
    (dump,) = parse_dump_bytes(whole[: 64 << 10])
    assert dump.address_names
    assert dump.address_names == expected.address_names[: len(dump.address_names)]
    assert f"cut short. The {len(dump.address_names)} objects before the cut were read." in dump.warnings[0]


def test_other_listings_of_the_same_text_are_read_with_their_own_lines() -> None:
    text = f"node-1$ kubectl get pods -A -o json\n{listed(OBJECTS)}node-1$ uname -r\n6.8.0-45-generic\n"
    objects, other = parse_dump_bytes(text.encode())
    assert _named(objects) == EXPECTED
    assert other.kernel is not None
    assert text.split("\n")[other.kernel.line - 1] == "6.8.0-45-generic"


def test_a_pod_that_is_over_had_its_address_until_its_last_container_ended() -> None:
    done = TestPod(
        "batch", "report-1", "10.244.1.9", "kind-worker", phase="Succeeded", finished="2026-11-20T08:10:00Z"
    )
    gone = TestPod("batch", "report-2", "10.244.1.10", "kind-worker", deleted="2026-11-20T09:00:00Z")
    (dump,) = parse_dump_bytes(listed([pod(done), pod(gone)]).encode())
    begin = 1795161605 * 10**9
    assert [(each.from_ns, each.until_ns) for each in dump.address_names] == [
        (begin, begin + 595 * 10**9), (begin, begin + 3595 * 10**9),
    ]  # fmt: skip


def test_an_object_with_a_field_of_another_type_is_counted_as_not_understood() -> None:
    broken = pod(CHECKOUT) | {"status": "Running"}
    (dump,) = parse_dump_bytes(listed([broken, pod(CHECKOUT)]).encode())
    assert dump.lines_not_understood == (4,)
    assert len(dump.address_names) == 1


def test_objects_of_other_kinds_are_said_to_be_left_out() -> None:
    (dump,) = parse_dump_bytes(
        listed([{"kind": "ConfigMap", "metadata": {"name": "x"}}, pod(CHECKOUT)]).encode()
    )
    assert dump.warnings == ("1 objects of kinds that are not read: ConfigMap.",)


def test_values_of_environment_variables_count_as_credentials() -> None:
    with_value = pod(CHECKOUT)
    with_value["spec"]["containers"][0]["env"] = [{"name": "DB", "value": "postgres://u:p@db"}]
    assert [d.holds_credentials for d in parse_dump_bytes(listed([with_value]).encode())] == [True]
    assert [d.holds_credentials for d in parse_dump_bytes(listed([pod(CHECKOUT)]).encode())] == [False]


def test_containers_of_docker_and_sandboxes_of_crictl() -> None:
    networks = {"app": {"IPAddress": "172.20.0.2", "GlobalIPv6Address": ""}}
    state = {
        "Running": True,
        "StartedAt": "2026-11-20T08:00:05.123456789Z",
        "FinishedAt": "0001-01-01T00:00:00Z",
    }
    web = {
        "Id": "9f2c",
        "Name": "/web",
        "State": state,
        "NetworkSettings": {"IPAddress": "", "Networks": networks},
    }
    (docker,) = parse_dump_bytes(json.dumps([web], indent=4).encode())
    begin = (1795161605 * 10**6 + 123456) * 1000
    assert docker.kind == "container-inspect"
    assert docker.address_names == (AddressName(2, "172.20.0.2", "web", "container", begin),)
    status = {
        "id": "4f",
        "metadata": {"name": "checkout", "namespace": "payments"},
        "network": {"ip": "10.244.1.17"},
    }
    (sandbox,) = parse_dump_bytes(json.dumps({"status": status}, indent=2).encode())
    assert _named(sandbox) == {("10.244.1.17", "payments/checkout", "pod")}


@pytest.mark.parametrize(
    "text",
    [b'{"kind":', b'{"items": [', b'[{"Id":1}]', b'{"kind": "Pod", "metadata": 3}', b'{"kind":"Pod"}{'],
)
def test_hostile_documents_break_nothing(text: bytes) -> None:
    for dump in parse_dump_bytes(text):
        assert dump.address_names == ()
