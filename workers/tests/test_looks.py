"""Looks into single frames through the running product: trees, Wireshark filters, carved captures, exports."""

from __future__ import annotations

import csv
import io
import ipaddress
import json
import shutil
import subprocess
import tarfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from backend.api.tests.running_product import DEMO, Product, running_product

CAPTURE = DEMO / "snat-race" / "three-interfaces.pcapng"
needs_tshark = pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")
Asked = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    with running_product(tmp_path_factory.mktemp("looks")) as running:
        yield running


@pytest.fixture(scope="module")
def client(product: Product) -> Iterator[httpx.Client]:
    investigation = product.new_investigation("looks")
    with product.client() as asking:
        for path in sorted(CAPTURE.parent.glob("*.*")):
            if path.name != "demo.json":
                asking.put(f"/investigations/{investigation}/files/{path.name}", content=path.read_bytes())
    product.wait_until_over(investigation)
    with httpx.Client(
        base_url=f"{product.api}/investigations/{investigation}", timeout=180, trust_env=False
    ) as asking:
        yield asking


@pytest.fixture
def ask(client: httpx.Client) -> Asked:
    def asked(**question: Any) -> dict[str, Any]:
        look = client.post("/looks", json=question).raise_for_status().json()
        deadline = time.monotonic() + 300  # the first anonymizing compiles
        while look["state"] in ("queued", "running") and time.monotonic() < deadline:
            time.sleep(0.05)
            look = client.get(f"/looks/{look['id']}").json()
        return dict(look)

    return asked


def texts(nodes: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for node in nodes:
        yield node
        yield from texts(node["children"])


@needs_tshark
def test_a_frame_is_a_tree_whose_fields_are_bytes_of_it(client: httpx.Client, ask: Asked) -> None:
    look = ask(kind="dissection", file=CAPTURE.name, frame=6)
    assert look["state"] == "done", look
    found = client.get(f"/looks/{look['id']}/dissection").json()
    data = bytes.fromhex(found["hex"])
    assert (found["by"], found["frame"], len(data)) == ("tshark", 6, found["captured_bytes"])
    nodes = {node["name"]: node for node in texts(found["tree"])}
    at = nodes["tcp.srcport"]
    assert data[at["begin"] : at["end"]] == (80).to_bytes(2, "big")
    # Said of frames of the capture, though tshark read a small file.
    assert nodes["http.request_in"]["text"].endswith("4")
    assert "6" in nodes["frame.number"]["text"]
    again = client.post("/looks", json={"kind": "dissection", "file": CAPTURE.name, "frame": 6})
    assert (again.status_code, again.json()["state"]) == (200, "done")


@needs_tshark
def test_a_wireshark_filter_lists_what_tshark_lists(client: httpx.Client, ask: Asked) -> None:
    text = "tcp.analysis.initial_rtt > 0.0005 && frame.len % 2 == 1"
    assert client.get("/packets", params={"filter": text, "offset": 0}).status_code == 422
    look = ask(kind="display-filter", filter='tcp.payload contains "GET /r0" && frame.time_delta < 1')
    command = [
        "tshark",
        "-n",
        "-r",
        str(CAPTURE),
        "-Y",
        'tcp.payload contains "GET /r0" && frame.time_delta < 1',
    ]
    command += ["-T", "fields", "-e", "frame.number"]
    expected = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert look["packets"] == len(expected) > 0, look
    page = client.get(f"/looks/{look['id']}/packets", params={"offset": 0, "limit": 1000}).json()
    assert page["total"] == len(expected)
    assert {line["frame"] for line in page["items"]} == {int(frame) for frame in expected}


@needs_tshark
def test_what_tshark_does_not_understand_is_said_with_its_place(ask: Asked) -> None:
    look = ask(kind="display-filter", filter="tcp.port == 80 && ip.nope == 1")
    assert look["state"] == "failed"
    assert "ip.nope" in look["problem"]
    assert (look["at"], look["length"]) == (18, 7)


@pytest.mark.parametrize(
    "question",
    [
        {"filter": "tcp.flags.syn == 1 && lane == cni0"},
        {"filter": "frame.number in {1, 7, 13}"},
        {"finding": "first"},
        {"finding": "first", "instance": 2},
    ],
)
def test_a_carved_capture_has_exactly_these_frames(
    client: httpx.Client, ask: Asked, tmp_path: Path, question: dict[str, Any]
) -> None:
    findings = client.get("/findings").json()["items"]
    if "finding" in question:
        question = {**question, "finding": findings[0]["id"]}
    look = ask(kind="carving", **question)
    assert look["state"] == "done", look
    answer = client.get(f"/looks/{look['id']}/content")
    carved = tmp_path / "carved.pcapng"
    carved.write_bytes(answer.content)
    if "filter" in question:
        total = client.get("/packets", params={**question, "offset": 0}).json()["total"]
        assert look["packets"] == total
    if shutil.which("capinfos"):
        said = subprocess.run(["capinfos", "-cM", str(carved)], capture_output=True, text=True, check=True)
        assert f"Number of packets:   {look['packets']}\n" in said.stdout
    if shutil.which("tshark"):
        rows = facts(carved, True)
        numbers = {row[0] for row in rows}
        assert rows == [row for row in facts(CAPTURE, False) if row[0] in numbers]


def facts(path: Path, carved: bool) -> list[tuple[str, ...]]:
    """Number in the capture, time, interface, bytes: a carved frame says its number in a comment."""
    number = "frame.comment" if carved else "frame.number"
    fields = (number, "frame.time_epoch", "frame.interface_name", "frame.len", "tcp.seq_raw", "ip.id")
    command = [
        "tshark",
        "-n",
        "-r",
        str(path),
        "-T",
        "fields",
        *(part for name in fields for part in ("-e", name)),
    ]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows = [line.split("\t") for line in said.splitlines()]
    return [(row[0].rpartition(" ")[2], *row[1:]) for row in rows]


def test_nothing_and_too_much_are_refused_in_a_sentence(client: httpx.Client) -> None:
    nothing = client.post("/looks", json={"kind": "carving", "filter": "tcp.port == 1"})
    assert (nothing.status_code, "Nothing is selected" in nothing.json()["detail"]) == (400, True)
    wrong = client.post("/looks", json={"kind": "carving", "filter": "tcp.prt == 1"}).json()
    assert (wrong["at"], wrong["length"], wrong["did_you_mean"][0]) == (0, 7, "tcp.port")
    assert (
        client.post(
            "/looks", json={"kind": "dissection", "file": CAPTURE.name, "frame": 99999999}
        ).status_code
        == 404
    )
    assert client.get(f"/looks/{'0' * 24}").status_code == 404
    assert client.get("/looks/..%2f..%2fx").status_code in (404, 422)


def test_rows_are_exported_as_they_are_listed(client: httpx.Client) -> None:
    wanted = {"filter": "tcp.flags.syn == 1 && tcp.flags.ack == 0"}
    page = client.get("/packets", params={**wanted, "offset": 0, "limit": 1000}).json()
    rows = list(csv.DictReader(io.StringIO(client.get("/packets/export", params=wanted).text)))
    assert len(rows) == page["total"]
    assert [int(row["frame"]) for row in rows[:1000]] == [line["frame"] for line in page["items"]]
    answered = client.get("/packets/export", params={**wanted, "format": "json"})
    assert json.loads(answered.text)[0]["source"] == page["items"][0]["source"]
    assert json.loads(client.get("/packets/export?format=json&filter=tcp.port==1").text) == []


def test_suggestions_count_packets(client: httpx.Client) -> None:
    def suggested(text: str) -> dict[str, Any]:
        return {each["text"]: each["packets"] for each in client.get(
            "/packets/suggestions", params={"text": text}).json()["items"]}  # fmt: skip

    def total(text: str) -> int:
        return int(client.get("/packets", params={"filter": text, "offset": 0, "limit": 1}).json()["total"])

    assert suggested("tcp.flags.s")["tcp.flags.syn == 1"] == total("tcp.flags.syn == 1")
    ports = suggested("tcp.flags.syn == 1 && tcp.port == ")
    assert ports["80"] == total("tcp.port == 80")
    assert suggested("ip.src == 10.16.")["10.16.147.226"] == total("ip.src == 10.16.147.226")
    assert suggested("finding == ")["A"] == total("finding == A")
    assert suggested("tcp.port in {80, ") == suggested("tcp.port == ")
    assert suggested("tcp.port == 80")["80"] == ports["80"]
    assert suggested("tcp.port == 80 ") == {}


def test_the_rail_and_places_agree_with_the_list(client: httpx.Client) -> None:
    marks = client.get("/packets/rail").json()["items"]
    ticks = [mark for mark in marks if mark["finding"] is None]
    assert 3 <= len(ticks) <= 12
    assert {mark["finding"] for mark in marks} > {None}
    for tick in ticks[1:]:
        place = client.get("/packets/place", params={"t": tick["t"]}).json()["offset"]
        near = client.get("/packets", params={"offset": tick["offset"], "limit": 1}).json()
        assert abs(place - tick["offset"]) < near["total"] // 50
    exact = client.get("/packets", params={"offset": place, "limit": 1}).json()["items"][0]
    assert exact["t"] >= ticks[-1]["t"]


def test_a_link_reaches_no_look_and_no_export(product: Product, client: httpx.Client) -> None:
    made = client.post("/shares", json={}).raise_for_status().json()
    with product.client() as anyone:
        session = anyone.post(f"/shared/{made['id']}/session", json={"secret": made["secret"]})
        token = {"X-Stallscope-Share": session.raise_for_status().json()["token"]}
        shared = f"/shared/{made['id']}"
        assert anyone.get(f"{shared}/packets?offset=0", headers=token).status_code == 200
        question = {"kind": "dissection", "file": CAPTURE.name, "frame": 6}
        assert anyone.post(f"{shared}/looks", headers=token, json=question).status_code in (404, 405)
        known = client.post("/looks", json=question).json()["id"]
        for path in (
            f"looks/{known}",
            f"looks/{known}/dissection",
            f"looks/{known}/content",
            "packets/export",
        ):
            assert anyone.get(f"{shared}/{path}", headers=token).status_code == 404, path


def test_everything_is_downloaded_anonymised_and_chosen_frames_have_the_same_other_names(
    client: httpx.Client, ask: Asked, tmp_path: Path
) -> None:
    look = ask(kind="anonymising")
    assert look["state"] == "done", look["problem"]
    answer = client.get(f"/looks/{look['id']}/content").raise_for_status()
    assert answer.headers["Content-Disposition"].endswith("anonymised.tar.gz")
    with tarfile.open(fileobj=io.BytesIO(answer.content)) as bundle:
        names = bundle.getnames()
        assert sorted({name.rpartition("-")[0] for name in names}) == ["capture", "dump"]
        held = {name: bundle.extractfile(name) for name in names}
        whole = b"".join(file.read() for file in held.values() if file is not None)
    ends = {packet["source"].rpartition(":")[0] for packet in client.get("/packets").json()["items"]}
    assert ends
    assert not [end for end in ends if end.encode() in whole or ipaddress.ip_address(end).packed in whole]

    carving = {"kind": "carving", "filter": "frame.number in {1, 7, 13}"}
    plain, other = ask(**carving), ask(**carving, anonymise=True)
    assert (plain["packets"], plain["id"] != other["id"]) == (other["packets"], True)
    carved = client.get(f"/looks/{other['id']}/content").raise_for_status().content
    assert not [end for end in ends if ipaddress.ip_address(end).packed in carved]
    assert CAPTURE.name.encode() not in carved
    # The whole file was written with the same key: the same packets are in it.
    first = carved[carved.index(b"\x06\x00\x00\x00", 28) :][28:90]
    assert first in whole
