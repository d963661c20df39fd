from __future__ import annotations

import httpx

URL = "/api/v1/investigations"


def test_created_read_renamed_deleted(client: httpx.Client) -> None:
    created = client.post(URL, json={"label": "  checkout   is slow "})
    address = created.headers["location"]
    assert created.json()["label"] == "checkout is slow"
    assert client.get(address).json() == created.json()
    assert client.patch(address, json={"label": "other"}).json()["label"] == "other"
    assert client.delete(address).status_code == 204
    assert client.get(address).status_code == 404


def test_the_list_is_paged_by_cursor(client: httpx.Client) -> None:
    for number in range(3):
        client.post(URL, json={"label": str(number)})
    first = client.get(URL, params={"limit": 2}).json()
    rest = client.get(URL, params={"limit": 2, "cursor": first["next_cursor"]}).json()
    assert [found["label"] for found in first["items"] + rest["items"]] == ["2", "1", "0"]
    assert rest["next_cursor"] is None


def test_an_idempotency_key_creates_once(client: httpx.Client) -> None:
    headers = {"Idempotency-Key": "abc"}
    first = client.post(URL, json={"label": "x"}, headers=headers).json()
    assert client.post(URL, json={"label": "x"}, headers=headers).json()["id"] == first["id"]
    assert client.post(URL, json={"label": "y"}, headers=headers).status_code == 422
    assert len(client.get(URL).json()["items"]) == 1


def test_errors_are_problem_documents(client: httpx.Client) -> None:
    for answer, status in (
        (client.get(f"{URL}/0123"), 404),
        (client.get(f"{URL}/not-an-id"), 404),
        (client.post(URL, content=b"{"), 422),
        (client.get("/api/v1/nothing"), 404),
        (client.delete(URL), 405),
        (client.post(f"{URL}/0123/analyses"), 404),
    ):
        problem = answer.json()
        assert answer.headers["content-type"] == "application/problem+json"
        assert (answer.status_code, problem["status"]) == (status, status)
        assert problem["title"]
        assert problem["detail"]


def test_there_is_no_report_before_an_analysis(client: httpx.Client) -> None:
    address = client.post(URL, json={}).headers["location"]
    for part in ("report", "findings", "diagnoses", "timeline", "connections", "connections/1"):
        answer = client.get(f"{address}/{part}")
        assert answer.status_code == 404
        assert "no file yet" in answer.json()["detail"]


def test_health_is_told(client: httpx.Client) -> None:
    assert client.get("/healthz").text == "ok"
    assert client.get("/readyz").text == "ready"
    assert "python_info" in client.get("/metrics").text
