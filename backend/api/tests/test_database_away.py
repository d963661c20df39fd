"""While the database is away every route says so, and none calls it a fault of its own."""

from __future__ import annotations

import json
import re
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from fastapi import FastAPI

from backend.api.app import create_app
from backend.api.host_origin_guard import HostOriginGuard
from backend.settings import Settings
from backend.storage.store import Store, open_store
from backend.storage.tests.cut_line import CutLine, line_to
from backend.storage.tests.scratch_database import scratch_database

PORT = 8000


@pytest.fixture(scope="module")
def line(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[CutLine]:
    folder = tmp_path_factory.mktemp("line")
    with scratch_database("postgresql", request, folder) as url, line_to(url) as line:
        yield line


@pytest.fixture(scope="module")
def store(line: CutLine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    opened = open_store(Settings(data=tmp_path_factory.mktemp("data"), database_url=line.url), migrate=True)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def app(store: Store) -> FastAPI:
    return create_app(store)


@pytest.fixture(scope="module")
def client(app: FastAPI) -> Iterator[httpx.Client]:
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(HostOriginGuard(app, PORT), log_level="critical"))
    serving = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    serving.start()
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    headers = {"Host": f"localhost:{PORT}"}
    with httpx.Client(base_url=address, headers=headers, trust_env=False, timeout=120) as asking:
        yield asking
    server.should_exit = True
    serving.join()
    listener.close()


@pytest.fixture
def whole(line: CutLine, client: httpx.Client) -> Iterator[None]:
    """The line is whole before and after."""
    yield
    line.mend()
    wait_until_ready(client)


def wait_until_ready(client: httpx.Client) -> None:
    deadline = time.monotonic() + 60
    while client.get("/readyz").status_code != 200:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def is_absence(answer: httpx.Response) -> bool:
    return (
        answer.status_code == 503
        and int(answer.headers["Retry-After"]) > 0
        and answer.headers["Content-Type"].startswith("application/problem+json")
        and (answer.request.method == "HEAD" or "not reachable" in answer.json()["detail"])
    )


def routes(app: FastAPI) -> list[tuple[str, str]]:
    document: dict[str, Any] = app.openapi()
    return [(method.upper(), path) for path, methods in document["paths"].items() for method in methods]


@pytest.mark.usefixtures("whole")
def test_no_route_answers_500_and_who_needs_the_database_says_503(
    app: FastAPI, client: httpx.Client, line: CutLine
) -> None:
    made = client.post("/api/v1/investigations", json={"label": "one"}).json()["id"]
    line.cut()
    said = {}
    for method, path in routes(app):
        address = re.sub(r"\{(investigation_id|share_id)\}", made, path)
        address = re.sub(r"\{[^}]+\}", "1", address)
        with client.stream(method, address, headers={"X-Stallscope-Share": "x"}) as answer:
            answer.read()
        said[f"{method} {path}"] = answer
    assert {name: each.status_code for name, each in said.items() if each.status_code == 500} == {}
    reads = {n: e for n, e in said.items() if n.startswith("GET") and e.status_code < 400}
    assert [name for name in reads if "{" in name] == []
    absences = [name for name, each in said.items() if each.status_code == 503]
    assert all(is_absence(said[name]) for name in absences)
    assert {"GET /readyz", "GET /api/v1/investigations"} <= {*absences}
    assert len(absences) > 20
    assert said["GET /healthz"].status_code == 200


@pytest.mark.long
@pytest.mark.usefixtures("whole")
def test_a_server_that_stands_still_is_noticed_by_one_request_and_healthz_answers(
    client: httpx.Client, line: CutLine
) -> None:
    line.silence()
    waiting = threading.Thread(target=client.get, args=("/api/v1/investigations",))
    waiting.start()
    assert client.get("/healthz").status_code == 200
    waiting.join()
    assert is_absence(client.get("/api/v1/investigations")) or is_absence(client.get("/readyz"))


@pytest.mark.usefixtures("whole")
def test_an_event_stream_says_that_the_database_is_away_and_goes_on(
    client: httpx.Client, line: CutLine
) -> None:
    made = client.post("/api/v1/investigations", json={"label": "one"}).json()["id"]
    with client.stream("GET", f"/api/v1/investigations/{made}/events") as stream:
        lines = stream.iter_lines()
        assert next_event(lines)[0] == "progress"
        line.cut()
        name, told = next_event(lines)
        assert (name, told["status"], "not reachable" in told["detail"]) == ("unavailable", 503, True)
        line.mend()
        assert next_event(lines)[0] == "progress"


def next_event(lines: Iterator[str]) -> tuple[str, dict[str, Any]]:
    name = ""
    for line in lines:
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        if line.startswith("data: "):
            return name, json.loads(line.removeprefix("data: "))
    raise AssertionError("the stream ended")


@pytest.mark.usefixtures("whole")
def test_an_upload_whose_last_step_met_no_database_is_complete_when_it_is_back(
    client: httpx.Client, line: CutLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backend.api.patience.PATIENCE_S", 0.0)
    made = client.post("/api/v1/investigations", json={"label": "one"}).json()["id"]
    content = (Path(__file__).parents[2] / "demo/snat-race/conntrack-S-before.txt").read_bytes() * 40
    name = "filename cy50eHQ="
    begun = client.post(
        f"/api/v1/investigations/{made}/uploads",
        headers={"Upload-Length": str(len(content)), "Upload-Metadata": name},
    )
    half = len(content) // 2
    send(client, begun.headers["Location"], content[:half], 0)

    def rest() -> Iterator[bytes]:
        yield content[half:-1]
        time.sleep(0.5)
        line.cut()
        time.sleep(0.5)
        yield content[-1:]

    assert is_absence(send(client, begun.headers["Location"], rest(), half))
    line.mend()
    wait_until_ready(client)
    told = client.head(begun.headers["Location"])
    assert told.headers["Upload-Offset"] == str(len(content))
    (file,) = client.get(f"/api/v1/investigations/{made}/files").json()["items"]
    assert (file["status"], file["name"]) == ("stored", "s.txt")
    assert client.get(f"/api/v1/investigations/{made}").json()["analysis"] == "queued"


def send(client: httpx.Client, address: str, content: Any, offset: int) -> httpx.Response:
    headers = {"Upload-Offset": str(offset), "Content-Type": "application/offset+octet-stream"}
    return client.patch(address, content=content, headers=headers)
