"""The API answers as its description says, whatever it is asked: generated requests as each kind of caller."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from backend.access.manage_members import add_member
from backend.access.prepare import prepare_sign_in
from backend.access.rights import Role, Scope
from backend.access.tokens import issue_token
from backend.api.publish_openapi import openapi_document
from backend.api.tests.guarded_server import HOST, PASSWORD, guarded_server, signed_in, visitor
from backend.api.tests.running_product import running_product
from backend.settings import Settings
from backend.storage.store import Store, open_store

CASES = int(os.environ.get("STALLSCOPE_GENERATED_REQUESTS", "20000"))
CALLERS = ("owner", "viewer", "upload token", "link")
HELD = [
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
]
LEFT_OUT = {
    # Each ends the session that asks, after which nothing is left to test.
    "DELETE /api/v1/sign-in",
    "PUT /api/v1/sign-in/password",
    # An answer that never ends.
    "GET /api/v1/investigations/{investigation_id}/events",
}

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(
        importlib.util.find_spec("schemathesis") is None, reason="schemathesis is not installed"
    ),
]


@dataclass(frozen=True)
class Prepared:
    """A server that holds analyzed investigations, and what its addresses name."""

    address: str
    headers: dict[str, dict[str, str]]
    """Of each kind of caller."""
    known: dict[str, str]
    """Path parameter → a value that exists."""
    doomed: dict[str, str]
    """The same for requests that delete or cancel."""


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prepared]:
    folder = tmp_path_factory.mktemp("described")
    with running_product(folder) as product, product.client() as client:
        ids = [client.post("/demo", json={"name": "snat-race"}).raise_for_status().json()["id"] for _ in "ab"]
        for made in ids:
            product.wait_until_over(made)
    with _reopened(folder) as store, guarded_server(store) as address:
        with signed_in(address) as owner:
            known, doomed = (_names(owner, made) for made in ids)
            headers = _callers(store, address, owner, known)
        yield Prepared(address, headers, known, doomed)


@contextmanager
def _reopened(folder: Path) -> Iterator[Store]:
    """Without a worker: a request changes rows and files, and starts nothing."""
    wanted = {"data": folder / "data", "database_url": "", "host": "0.0.0.0", "admin_password": PASSWORD}
    store = open_store(Settings.model_validate(wanted), migrate=False)
    prepare_sign_in(store)
    yield store
    store.close()


def _names(owner: httpx.Client, investigation: str) -> dict[str, str]:
    own = f"/api/v1/investigations/{investigation}"

    def first(place: str) -> dict[str, Any]:
        items: list[dict[str, Any]] = owner.get(f"{own}/{place}").raise_for_status().json()["items"]
        return items[0]

    def made(place: str, **body: Any) -> dict[str, Any]:
        answer: dict[str, Any] = owner.post(f"{own}/{place}", json=body).raise_for_status().json()
        return answer

    return {
        "investigation_id": investigation,
        "file_id": first("files")["id"],
        "finding_id": first("findings")["id"],
        "cid": str(first("connections")["cid"]),
        "note_id": made("notes", text="seen")["id"],
        "number": "1",
        "name": "more.txt",
        "instance": "0",
    }


def _callers(
    store: Store, address: str, owner: httpx.Client, known: dict[str, str]
) -> dict[str, dict[str, str]]:
    shared = owner.post(f"/api/v1/investigations/{known['investigation_id']}/shares", json={}).json()
    known["share_id"] = shared["id"]
    with visitor(address) as stranger:
        opened = stranger.post(
            f"/api/v1/shared/{shared['id']}/session", json={"secret": shared["secret"], "password": None}
        )
    vera = add_member(store, "vera", Role.VIEWER)
    with signed_in(address, "vera", vera.password) as viewer:
        cookie = viewer.headers["Cookie"]
    upload = issue_token(store, "pipeline", Scope.UPLOAD, expires_days=1, member_id=None).text
    return {
        "owner": {"Cookie": owner.headers["Cookie"]},
        "viewer": {"Cookie": cookie},
        "upload token": {"Authorization": f"Bearer {upload}"},
        "link": {"X-Stallscope-Share": opened.raise_for_status().json()["token"]},
    }


@pytest.mark.parametrize("caller", CALLERS)
def test_every_answer_is_described_and_none_is_our_fault(prepared: Prepared, caller: str) -> None:
    from schemathesis import openapi, serializer

    serializer.alias("application/offset+octet-stream", "application/octet-stream")
    schema = openapi.from_dict(openapi_document())
    operations = [found.ok() for found in schema.get_all_operations()]
    operations = [operation for operation in operations if operation.label not in LEFT_OUT]
    each = max(5, CASES // len(CALLERS) // len(operations))
    wrong: dict[str, str] = {}
    for operation in operations:
        try:
            _ask_often(operation, prepared, caller, each)
        except BaseExceptionGroup as several:
            wrong[operation.label] = "\n".join(str(error) for error in several.exceptions)
        except AssertionError as error:
            wrong[operation.label] = str(error)
    assert wrong == {}, "\n\n".join(f"{label}: {what}" for label, what in wrong.items())


def _ask_often(operation: Any, prepared: Prepared, caller: str, times: int) -> None:
    from schemathesis import checks

    checks.load_all_checks()
    held = checks.CHECKS.get_by_names(HELD)
    names = prepared.doomed if operation.method.upper() == "DELETE" else prepared.known

    @settings(
        max_examples=times,
        deadline=None,
        database=None,
        derandomize=True,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(), of_what_exists=st.integers(0, 3))
    def ask(case: Any, of_what_exists: int) -> None:
        if of_what_exists:
            given_ = case.path_parameters or {}
            case.path_parameters = {name: names.get(name, value) for name, value in given_.items()}
        case.call_and_validate(
            base_url=prepared.address,
            headers={"Host": HOST, **prepared.headers[caller]},
            timeout=60,
            checks=held,
        )

    ask()
