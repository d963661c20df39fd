"""A server that asks for sign-in, and callers of every kind."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import uvicorn

from backend.access.prepare import prepare_sign_in
from backend.access.rights import Scope
from backend.access.tokens import issue_token
from backend.api.app import create_guarded_app
from backend.services.recognise_text import read_nothing
from backend.settings import Settings
from backend.storage.store import Store
from backend.storage.tests.empty_store import open_empty_store

PORT = 8000
HOST = f"192.0.2.7:{PORT}"
PASSWORD = "correct horse"


@contextmanager
def guarded_store(folder: Path, **settings: object) -> Iterator[Store]:
    """An empty store of a server that others reach; the admin's password is PASSWORD."""
    given = {"host": "0.0.0.0", "admin_password": PASSWORD, **settings}
    opened = open_empty_store(Settings.model_validate({"data": folder / "data", "database_url": "", **given}))
    prepare_sign_in(opened)
    yield opened
    opened.close()


@contextmanager
def guarded_server(store: Store) -> Iterator[str]:
    """Its address; requests carry the Host header HOST."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(
        uvicorn.Config(create_guarded_app(store, PORT, read_nothing), log_level="critical")
    )
    serving = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    serving.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    server.should_exit = True
    serving.join()
    listener.close()


def visitor(address: str, **headers: str) -> httpx.Client:
    """A browser or program that nobody knows yet."""
    return httpx.Client(base_url=address, headers={"Host": HOST, **headers}, trust_env=False, timeout=120)


def signed_in(address: str, name: str = "admin", password: str = PASSWORD) -> httpx.Client:
    """A browser after its sign-in."""
    with visitor(address) as browser:
        answer = browser.post("/api/v1/sign-in", json={"name": name, "password": password})
    assert answer.status_code == 200, answer.text
    return visitor(address, Cookie=answer.headers["set-cookie"].split(";")[0])


def program(store: Store, address: str, scope: Scope) -> httpx.Client:
    """A program with a token."""
    token = issue_token(store, f"a {scope} token", scope, expires_days=1, member_id=None).text
    return visitor(address, Authorization=f"Bearer {token}")
