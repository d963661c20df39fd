from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

import httpx
import pytest

STREAMS = 200


@pytest.fixture
def address(client: httpx.Client) -> str:
    created = client.post("/api/v1/investigations", json={"label": "x"})
    return str(created.headers["location"])


def first_event(client: httpx.Client, address: str, **headers: str) -> dict[str, str]:
    with client.stream("GET", f"{address}/events", headers=headers) as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        return event_in(stream.iter_lines())


def event_in(lines: object) -> dict[str, str]:
    event: dict[str, str] = {}
    for line in lines:  # type: ignore[attr-defined]
        name, _, value = line.partition(": ")
        if name:
            event[name] = value
        elif "data" in event:
            return event
    raise AssertionError("the stream ended without an event")


def test_a_listener_is_told_at_once_where_things_stand(client: httpx.Client, address: str) -> None:
    event = first_event(client, address)
    assert event["event"] == "progress"
    assert json.loads(event["data"]) == client.get(f"{address}/progress").json()


def test_who_comes_back_is_told_only_what_is_new(client: httpx.Client, address: str) -> None:
    seen = first_event(client, address)["id"]
    client.patch(address, json={"label": "renamed"})
    again = first_event(client, address, **{"Last-Event-ID": seen})
    assert int(again["id"]) > int(seen)


def test_a_change_reaches_a_waiting_listener(client: httpx.Client, address: str) -> None:
    with client.stream("GET", f"{address}/events") as stream:
        lines = stream.iter_lines()
        before = event_in(lines)
        client.patch(address, json={"label": "renamed"})
        assert int(event_in(lines)["id"]) > int(before["id"])


def test_events_of_a_missing_investigation_are_not_found(client: httpx.Client) -> None:
    assert client.get("/api/v1/investigations/0123/events").status_code == 404


async def test_a_read_is_answered_while_many_listen(client: httpx.Client, address: str) -> None:
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
    async with httpx.AsyncClient(
        base_url=client.base_url, headers=client.headers, limits=limits, timeout=120, trust_env=False
    ) as listening:
        listeners = [asyncio.create_task(listen(listening, address)) for _ in range(STREAMS)]
        while sum(len(found) for found in heard) < STREAMS:
            await asyncio.sleep(0.05)
        assert (await listening.get(address)).status_code == 200
        assert (await listening.patch(address, json={"label": "y"})).json()["label"] == "y"
        for listener in listeners:
            await listener
    assert all(len(found) == 2 for found in heard)


heard: list[list[str]] = []


async def listen(client: httpx.AsyncClient, address: str) -> None:
    found: list[str] = []
    heard.append(found)
    async with client.stream("GET", f"{address}/events") as stream:
        async for line in data_lines(stream):
            found.append(line)
            if len(found) == 2:
                return


async def data_lines(stream: httpx.Response) -> AsyncIterator[str]:
    async for line in stream.aiter_lines():
        if line.startswith("data: "):
            yield line
