from __future__ import annotations

import httpx
import pytest
from fastapi import FastAPI

CREATE = "/api/v1/investigations"
OWN = "http://localhost:8000"


@pytest.mark.parametrize("host", ["localhost:8000", "127.0.0.1:8000", "[::1]:8000", "LOCALHOST:8000"])
def test_loopback_names_with_the_own_port_are_answered(client: httpx.Client, host: str) -> None:
    assert client.get("/healthz", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost", "127.0.0.1:8001", "localhost:8000.evil.example", "0.0.0.0:8000", ""]
)
def test_any_other_host_name_is_refused(client: httpx.Client, host: str) -> None:
    answer = client.get("/healthz", headers={"Host": host})
    assert (answer.status_code, answer.headers["content-type"]) == (421, "application/problem+json")


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": OWN},
        {"Sec-Fetch-Site": "same-origin"},
        {"Origin": OWN, "Sec-Fetch-Site": "same-origin"},
    ],
)
def test_the_own_page_and_curl_may_change_things(client: httpx.Client, headers: dict[str, str]) -> None:
    assert client.post(CREATE, json={"label": "x"}, headers=headers).status_code == 201


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost:8001"},
        {"Origin": "http://127.0.0.1:8000"},
        {"Origin": "https://localhost:8000"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": OWN, "Sec-Fetch-Site": "cross-site"},
    ],
)
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_another_site_may_not(client: httpx.Client, headers: dict[str, str], method: str) -> None:
    assert client.request(method, CREATE, json={"label": "x"}, headers=headers).status_code == 403
    assert client.get(CREATE).json()["items"] == []


@pytest.mark.parametrize("name", ["Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP"])
def test_where_nobody_signs_in_a_proxy_brings_nobody(client: httpx.Client, name: str) -> None:
    answer = client.get(CREATE, headers={name: "192.0.2.9"})
    assert (answer.status_code, "STALLSCOPE_PUBLIC_URL" in answer.json()["detail"]) == (403, True)


def test_no_answer_invites_other_sites(client: httpx.Client) -> None:
    for answer in (
        client.get(CREATE, headers={"Origin": "http://evil.example"}),
        client.options(
            CREATE, headers={"Origin": "http://evil.example", "Access-Control-Request-Method": "POST"}
        ),
    ):
        assert not [name for name in answer.headers if name.startswith("access-control-")]


@pytest.mark.parametrize(
    "path", ["/", "/healthz", CREATE, "/api/v1/nothing", "/nothing.js", "/api/openapi.json"]
)
def test_every_answer_forbids_sniffing_and_framing(client: httpx.Client, path: str) -> None:
    headers = client.get(path).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert "unsafe-inline" not in headers["content-security-policy"]


def test_a_bug_shows_a_number_and_no_trace(app: FastAPI, client: httpx.Client) -> None:
    class Broken:
        def __getattr__(self, name: str) -> None:
            raise ValueError("the secret inside")

    app.state.store = Broken()
    answer = client.get("/api/v1/investigations")
    assert (answer.status_code, answer.headers["content-type"]) == (500, "application/problem+json")
    assert "secret" not in answer.text
    assert "Traceback" not in answer.text
    assert answer.headers["x-content-type-options"] == "nosniff"
