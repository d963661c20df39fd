"""Wireshark's view of a connection and of a finding through the running product."""

from __future__ import annotations

import gzip
import io
import re
import shutil
import tarfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from backend.api.tests.running_product import DEMO, Product, running_product
from workers.decode.tests.capture_bytes import pcap
from workers.decode.tests.tls_conversation import encrypted
from workers.sandbox import Access, ChildPool, Notify, child_work

CAPTURE = DEMO / "snat-race" / "three-interfaces.pcapng"
pytestmark = pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")
Asked = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    with running_product(tmp_path_factory.mktemp("wireshark")) as running:
        yield running


@pytest.fixture(scope="module")
def client(product: Product) -> Iterator[httpx.Client]:
    investigation = product.new_investigation("wireshark")
    with product.client() as asking:
        for path in sorted(CAPTURE.parent.glob("*.*")):
            if path.name != "demo.json":
                asking.put(f"/investigations/{investigation}/files/{path.name}", content=path.read_bytes())
    product.wait_until_over(investigation)
    address = f"{product.api}/investigations/{investigation}"
    with httpx.Client(base_url=address, timeout=180, trust_env=False) as asking:
        yield asking


def ask_look(client: httpx.Client, looks: str, **question: Any) -> str:
    """The address of what is done."""
    job = client.post(looks, json=question).raise_for_status().json()
    deadline = time.monotonic() + 120
    while job["state"] in ("queued", "running") and time.monotonic() < deadline:
        time.sleep(0.05)
        job = client.get(f"{looks}/{job['id']}").json()
    assert job["state"] == "done", job
    return f"{looks}/{job['id']}"


def ask_view(client: httpx.Client, investigation: str, **question: Any) -> dict[str, Any]:
    made = ask_look(client, f"{investigation}/looks", kind="wireshark", **question)
    found: dict[str, Any] = client.get(f"{made}/wireshark").raise_for_status().json()
    return found


@pytest.fixture
def view(client: httpx.Client) -> Asked:
    def viewed(**question: Any) -> dict[str, Any]:
        return ask_view(client, "", **question)

    return viewed


def delayed(client: httpx.Client) -> dict[str, Any]:
    query = {"sort": "connect_ms", "order": "desc", "limit": "1"}
    found: dict[str, Any] = client.get("/connections", params=query).json()["items"][0]
    return found


def test_a_connection_has_wiresharks_words_beside_ours(client: httpx.Client, view: Asked) -> None:
    connection = delayed(client)
    found = view(connection=connection["cid"])
    assert found["program"].startswith("wireshark/")
    detail = client.get(f"/connections/{connection['cid']}").json()
    assert {p["frame"] for p in found["packets"]} == {p["frame"] for p in detail["packets"]}
    assert {p["lane"] for p in found["packets"]} == set(connection["seen_at"])
    again = [p for p in found["packets"] if "retransmission" in p["marks"]]
    assert again
    assert all("TCP Retransmission" in packet["info"] for packet in again)
    # Behind NAT the retransmission alone was seen, so nobody can call it one there.
    assert [p for p in found["packets"] if p["differences"]] == []
    requests = [p for p in found["packets"] for m in p["messages"] if m["protocol"] == "http"]
    assert requests
    assert all(packet["our_messages"] for packet in requests if packet["what"] == "data")


def test_a_finding_is_read_with_the_packets_before_it(client: httpx.Client, view: Asked) -> None:
    finding = client.get("/findings").json()["items"][0]
    found = view(finding=finding["id"], instance=1)
    assert found["packets"]
    assert any("[SYN]" in packet["info"] for packet in found["packets"])
    assert all(packet["detailed"] for packet in found["packets"])


@pytest.mark.parametrize(
    ("question", "status"),
    [
        ({}, 400),
        ({"connection": 1, "finding": "x"}, 400),
        ({"connection": 999_999}, 404),
        ({"finding": "x"}, 404),
    ],
)
def test_what_cannot_be_asked(client: httpx.Client, question: dict[str, Any], status: int) -> None:
    assert client.post("/looks", json={"kind": "wireshark", **question}).status_code == status


def test_a_share_link_does_not_reach_it(product: Product, client: httpx.Client) -> None:
    question = {"kind": "wireshark", "connection": delayed(client)["cid"]}
    known = client.post("/looks", json=question).json()["id"]
    made = client.post("/shares", json={}).raise_for_status().json()
    with product.client() as anyone:
        session = anyone.post(f"/shared/{made['id']}/session", json={"secret": made["secret"]})
        token = {"X-Stallscope-Share": session.raise_for_status().json()["token"]}
        answer = anyone.get(f"/shared/{made['id']}/looks/{known}/wireshark", headers=token)
    assert answer.status_code == 404


@pytest.mark.promise(
    "No line of a TLS key log is shown, to nobody and behind no link; its original asks for consent."
)
@pytest.mark.parametrize("pasted", [False, True])
def test_an_uploaded_key_log_decrypts_and_is_not_shown(
    product: Product, tmp_path: Path, pasted: bool
) -> None:
    packets, key_log = encrypted(tmp_path)
    investigation = f"/investigations/{product.new_investigation('encrypted')}"
    with product.client() as client:
        client.put(f"{investigation}/files/a.pcap", content=pcap(packets)).raise_for_status()
        if pasted:
            made = client.post(f"{investigation}/texts", json={"text": key_log.decode()})
        else:
            made = client.put(f"{investigation}/files/notes.bin.gz", content=gzip.compress(key_log))
        file = made.raise_for_status().json()["id"]
        product.wait_until_over(investigation.rsplit("/", 1)[1])
        known = client.get(f"{investigation}/files/{file}").json()
        assert (known["format"], known["holds_credentials"]) == ("tls-key-log", True)
        assert client.get(f"{investigation}/files/{file}/original").status_code != 200
        view = ask_view(client, investigation, connection=0)
        assert view["tls_secrets"] == 1
        assert any(message["decrypted"] for packet in view["packets"] for message in packet["messages"])
        bundle = client.get(f"{ask_look(client, f'{investigation}/looks', kind='anonymising')}/content")
        with tarfile.open(fileobj=io.BytesIO(bundle.raise_for_status().content)) as members:
            assert [name.rpartition("-")[0] for name in members.getnames()] == ["capture"]
        shown = [view, *(client.get(f"{investigation}{path}").text for path in ("/report", "/dumps"))]
        link = client.post(f"{investigation}/shares", json={"addresses": "real"}).json()
        session = client.post(f"/shared/{link['id']}/session", json={"secret": link["secret"]}).json()
        token = {"X-Stallscope-Share": session["token"]}
        shown += [
            client.get(f"/shared/{link['id']}{path}", headers=token).text
            for path in ("/investigation", "/report", "/dumps", f"/files/{file}/lines")
        ]
        shown.append(client.get(f"{investigation}/files/{file}/lines").text)
    secrets = re.findall("[0-9A-Fa-f]{64,}", key_log.decode())
    assert secrets
    assert not [secret for secret in secrets if secret[:16] in str(shown)]


@child_work()
def start_by_pyshark(path: Path, notify: Notify) -> str:
    from pyshark import FileCapture

    try:
        return str(FileCapture(str(path), keep_packets=False).next())
    except OSError as error:
        return type(error).__name__


def test_pysharks_own_launcher_does_not_start_in_a_confined_child() -> None:
    """Should it start one day, the reason for ours is gone (decision 0011)."""
    pool = ChildPool(1, works=(start_by_pyshark,))
    try:
        said = pool.run(
            start_by_pyshark,
            (CAPTURE,),
            notify=lambda news: None,
            is_wanted=lambda: True,
            access=Access(read=(CAPTURE,), may_start_programs=True),
        )
    finally:
        pool.close()
    assert said == "PermissionError"
