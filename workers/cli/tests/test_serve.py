"""The whole product as a process: what the web says, what the command line says, and what kills it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from backend.api.tests.running_product import DEMO, PATIENCE_S, Product, children_of, running_product
from backend.storage.tests.scratch_database import ENGINES, scratch_database
from workers.cli.main import main

CASE = DEMO / "snat-race"
FILES = sorted(path for path in CASE.iterdir() if path.name != "demo.json")
BEAT = "0.25"


EITHER = pytest.mark.parametrize("product", ENGINES, indirect=True)
"""For what depends on the database; the rest is looked at on PostgreSQL by the long tests."""


@pytest.fixture(
    scope="module",
    params=[pytest.param(name, marks=pytest.mark.long if name == "postgresql" else ()) for name in ENGINES],
)
def product(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """A server and a worker, on either database."""
    folder = tmp_path_factory.mktemp("product")
    with scratch_database(request.param, request, folder) as url:
        given = {} if request.param == "sqlite" else {"DATABASE_URL": url}
        with running_product(folder, HEARTBEAT_S=BEAT, **given) as running:
            yield running


def curl(*arguments: str) -> str:
    done = subprocess.run(
        ["curl", "-sS", "--fail-with-body", *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def upload_case(product: Product, investigation: str) -> None:
    with product.client() as client:
        for path in FILES:
            put = client.put(f"/investigations/{investigation}/files/{path.name}", content=path.read_bytes())
            put.raise_for_status()


def without_circumstances(report: str) -> str:
    """The report without the two values that may differ from run to run; order of keys and all else kept."""
    read: dict[str, Any] = json.loads(report)
    read["created"], read["tool"]["version"], read["timings"] = "", "", []
    return json.dumps(read)


@EITHER
def test_curl_alone_is_enough_and_the_web_says_what_analyze_says(product: Product, tmp_path: Path) -> None:
    json_header = ("-H", "Content-Type: application/json")
    created = curl("-X", "POST", f"{product.api}/investigations", *json_header, "-d", '{"label": "checkout"}')
    address = f"{product.api}/investigations/{json.loads(created)['id']}"
    for path in FILES:
        curl("-T", str(path), f"{address}/files/{path.name}")
    while json.loads(curl(f"{address}/progress"))["analysis"] not in ("finished", "failed"):
        time.sleep(0.2)
    web = curl(f"{address}/report")
    local = tmp_path / "report.json"
    main(["analyze", *map(str, FILES), "--label", "checkout", "--json", str(local)])
    assert without_circumstances(web) == without_circumstances(local.read_text())
    assert curl(f"{address}/report?format=markdown").startswith("# ")
    assert json.loads(curl(address))["verdict"]["cause"] == "snat-port-race"


def test_progress_only_grows_and_ends_with_the_last_stage(product: Product) -> None:
    investigation = product.new_investigation()
    upload_case(product, investigation)
    seen: list[tuple[int, int]] = []

    def is_over(now: dict[str, Any]) -> bool:
        seen.append((now["stage"]["number"], sum(file["packets"] for file in now["files"])))
        return bool(now["analysis"] == "finished")

    product.wait_for(investigation, is_over)
    assert seen == sorted(seen)
    assert seen[-1] == (6, 13_506)


@EITHER
@pytest.mark.parametrize("way", [signal.SIGKILL, pytest.param(signal.SIGTERM, marks=pytest.mark.long)])
def test_a_worker_killed_in_the_middle_loses_nothing(product: Product, way: signal.Signals) -> None:
    investigation = product.new_investigation()
    upload_case(product, investigation)
    product.wait_for(investigation, lambda now: now["analysis"] == "running")
    (worker,) = product.worker_pids()
    helpers = children_of(worker)
    os.kill(worker, way)
    assert product.wait_for(investigation, bool)["analysis"] == "running"
    assert product.wait_until_over(investigation)["analysis"] == "finished"
    assert product.worker_pids() != [worker]
    assert not [pid for pid in helpers if is_running(pid)]
    assert "taking over" in product.log.read_text()


@EITHER
def test_a_cancelled_analysis_stops_and_can_be_started_again(product: Product) -> None:
    investigation = product.new_investigation()
    upload_case(product, investigation)
    product.wait_for(investigation, lambda now: now["analysis"] == "running")
    with product.client() as client:
        answer = client.post(f"/investigations/{investigation}/cancel")
        while answer.status_code == 503:  # a busy database: it says when to ask again
            time.sleep(int(answer.headers["Retry-After"]))
            answer = client.post(f"/investigations/{investigation}/cancel")
        assert answer.json()["analysis"] == "cancelled", answer.text
        assert client.get(f"/investigations/{investigation}/report").status_code == 404
        again = client.post(f"/investigations/{investigation}/analyses")
        assert (again.status_code, again.json()["analysis"]) == (202, "queued")
    assert product.wait_until_over(investigation)["analysis"] == "finished"


def test_a_later_file_makes_a_new_report(product: Product) -> None:
    investigation = product.new_investigation()
    with product.client() as client:
        for number, path in enumerate(FILES[1:3], start=1):
            client.put(f"/investigations/{investigation}/files/{path.name}", content=path.read_bytes())
            assert product.wait_until_over(investigation)["analysis"] == "finished"
            report = client.get(f"/investigations/{investigation}/report").json()
            assert len(report["inputs"]) == number


BLANK = b"\n \n"


def test_a_text_nobody_understands_is_answered(product: Product) -> None:
    investigation = product.new_investigation()
    with product.client() as client:
        client.put(f"/investigations/{investigation}/files/poem.txt", content=b"Shall I compare thee\n")
    over = product.wait_until_over(investigation)
    (poem,) = over["files"]
    assert (over["analysis"], poem["status"]) == ("finished", "decoded")
    assert any("No line of this text is of a format that is read" in each for each in poem["warnings"])


def test_a_text_of_blank_lines_is_refused_and_the_rest_goes_on(product: Product) -> None:
    investigation = product.new_investigation()
    with product.client() as client:
        client.put(f"/investigations/{investigation}/files/blank.txt", content=BLANK)
        client.put(f"/investigations/{investigation}/files/{FILES[1].name}", content=FILES[1].read_bytes())
    over = product.wait_until_over(investigation)
    blank = next(file for file in over["files"] if file["name"] == "blank.txt")
    assert (over["analysis"], blank["status"]) == ("finished", "refused")
    assert "a text of blank lines" in blank["error"]


def test_nothing_readable_is_a_failure_with_a_sentence(product: Product) -> None:
    investigation = product.new_investigation()
    with product.client() as client:
        client.put(f"/investigations/{investigation}/files/blank.txt", content=BLANK)
    over = product.wait_until_over(investigation)
    assert over["analysis"] == "failed"
    assert "None of the files" in over["message"]


def test_a_cut_capture_is_analysed_up_to_the_cut(product: Product) -> None:
    investigation = product.new_investigation()
    whole = (CASE / "three-interfaces.pcapng").read_bytes()
    with product.client() as client:
        client.put(f"/investigations/{investigation}/files/cut.pcapng", content=whole[: len(whole) // 2 + 3])
    (file,) = product.wait_until_over(investigation)["files"]
    assert file["status"] == "decoded"
    assert 0 < file["packets"] < 13_506
    assert file["warnings"]


def test_a_pasted_text_is_recognised_and_not_kept(product: Product) -> None:
    counters = (CASE / "conntrack-S-before.txt").read_text()
    with product.client() as client:
        answer = client.post("/recognitions", json={"text": counters + "what is this\n"}).json()
        assert answer == {
            "kind": "conntrack-stats",
            "lines": 3,
            "lines_not_understood": [{"n": 3, "text": "what is this"}],
        }
        assert client.post("/recognitions", json={"text": "Shall I compare thee\n"}).json()["kind"] == ""


def test_lines_nobody_understood_are_kept_with_the_file(product: Product) -> None:
    investigation = product.new_investigation()
    counters = (CASE / "conntrack-S-before.txt").read_bytes()
    with product.client() as client:
        client.put(f"/investigations/{investigation}/files/s.txt", content=counters + b"what is this\n")
    (file,) = product.wait_until_over(investigation)["files"]
    assert (file["lines_not_understood"], file["not_understood_at"]) == (1, [3])


def look_at_groups_and_folds(client: httpx.Client, address: str, timeline: dict[str, Any]) -> None:
    """Every packet and every mark has a lane in each grouping; what is folded is left out, and nothing else."""
    for group in ("pod", "connection"):
        grouped = client.get(address, params={"px": 1000, "group": group}).json()
        assert sum(sum(lane["packets"]) for lane in grouped["lanes"]) == 13_506
        ids = {lane["id"] for lane in grouped["lanes"]}
        assert len(grouped["marks"]) == len(timeline["marks"])
        assert all(
            mark["lanes"] and ids.issuperset(mark["lanes"])
            for mark in grouped["marks"]
            if mark["glyph"] != "guide"
        )
    pods = client.get(address, params={"group": "pod", "lanes": 2}).json()
    names = [(lane["name"], lane["captured"]) for lane in pods["lanes"] if lane["role"] == "pod"]
    assert names == [("10.244.35.21", True), ("10.244.35.24", False)]
    assert pods["lanes_left"] == {"lanes": 2, "findings": 2}
    close = client.get(address, params={"group": "pod", "from": 319_000_000, "to": 320_000_000}).json()
    assert [packet["group"] for packet in close["packets"]][:2] == [
        "group:10.244.35.28",
        "group:10.244.35.24",
    ]
    gap = client.get(address, params={"gaps": 500_000_000, "to": 400_000_000}).json()["gaps"][0]
    assert 319_000_000 < gap["from"] < gap["to"] - 500_000_000
    fold = f"{gap['from'] + 1}~{gap['to']}"
    part: dict[str, Any] = {"from": 0, "to": 1_200_000_000, "px": 100}
    whole, open_only = (client.get(address, params=part | more).json() for more in ({}, {"fold": fold}))
    inside = client.get(address, params={**part, "from": gap["from"] + 1, "to": gap["to"]}).json()

    def packets(of: dict[str, Any]) -> int:
        return len(of["packets"]) or sum(sum(lane["packets"]) for lane in of["lanes"])

    assert packets(whole) == packets(open_only) + packets(inside)
    assert open_only["bucket_ns"] < whole["bucket_ns"]
    assert client.get(address, params={"fold": "9~1"}).status_code == 400


def test_charts_and_tables_are_answered(product: Product) -> None:
    with product.client() as client:
        made = client.post("/demo", json={"name": "snat-race"}).json()
        product.wait_until_over(made["id"])
        address = f"/investigations/{made['id']}"
        timeline = client.get(f"{address}/timeline", params={"px": 1000}).json()
        assert (timeline["mode"], timeline["t0"]) == ("density", "1795223503486947163")
        assert sum(sum(lane["packets"]) for lane in timeline["lanes"]) == 13_506
        close = client.get(f"{address}/timeline", params={"from": 319_000_000, "to": 320_000_000}).json()
        assert (close["mode"], [packet["frame"] for packet in close["packets"]]) == (
            "packets",
            [307, 308, 432, 433, 309],
        )
        look_at_groups_and_folds(client, f"{address}/timeline", timeline)
        slow = client.get(
            f"{address}/connections", params={"sort": "connect_ms", "order": "desc", "limit": 29}
        ).json()
        assert (slow["total"], {row["tries"] for row in slow["items"]}) == (600, {2})
        story = client.get(f"{address}/connections/{slow['items'][0]['cid']}").json()
        assert [p["what"] for p in story["packets"] if p["what"].startswith("SYN")][-1] == "SYN-ACK"
        frame = client.get(f"{address}/frames/three-interfaces.pcapng/307").json()
        assert {"name": "source", "value": "10.244.35.28", "unit": "", "meaning": "sent by"} in frame[
            "columns"
        ]
        assert client.get(f"{address}/frames/three-interfaces.pcapng/99999").status_code == 404


def test_a_product_that_is_stopped_as_soon_as_it_names_its_address_ends(tmp_path: Path) -> None:
    with running_product(tmp_path) as running:
        running.process.terminate()
        assert running.process.wait(timeout=PATIENCE_S) is not None


def test_event_streams_that_are_open_when_it_stops_end_without_a_trace(tmp_path: Path) -> None:
    with running_product(tmp_path) as running, running.client() as client, ExitStack() as stack:
        address = f"/investigations/{running.new_investigation()}/events"
        streams = [stack.enter_context(client.stream("GET", address)).iter_lines() for _ in range(3)]
        for lines in streams:
            assert next(lines).startswith("retry")
        running.process.terminate()
        for lines in streams:
            for _ in lines:  # to its end: a stream that is cut off raises
                pass
        assert running.process.wait(timeout=PATIENCE_S) == 0
        log = running.log.read_text()
    assert "Traceback" not in log
    assert "Cancel" not in log


def is_running(pid: int) -> bool:
    """Whether the process exists and is not just waiting to be buried."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
