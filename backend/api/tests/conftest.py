from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import uvicorn
from fastapi import FastAPI

from backend.api.app import create_app
from backend.api.host_origin_guard import HostOriginGuard
from backend.api.tests.running_product import Product, running_product
from backend.settings import Settings
from backend.storage.store import Store
from backend.storage.tests.empty_store import open_empty_store

PORT = 8000


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty store; no worker looks at it."""
    opened = open_empty_store(Settings(data=tmp_path / "data", database_url=""))
    yield opened
    opened.close()


@pytest.fixture
def app(store: Store) -> FastAPI:
    """The application without its host and origin guard."""
    return create_app(store)


@pytest.fixture
def client(app: FastAPI) -> Iterator[httpx.Client]:
    """Asks the application through its host and origin guard and a real server; there is no worker."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(HostOriginGuard(app, PORT), log_level="critical"))
    serving = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    serving.start()
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    host = {"Host": f"localhost:{PORT}"}
    # A busy machine answers late, and that is no failure.
    with httpx.Client(base_url=address, headers=host, trust_env=False, timeout=120) as asking:
        yield asking
    server.should_exit = True
    serving.join()
    listener.close()


@pytest.fixture(scope="session")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """A server and a worker, shared by the tests that only add to it."""
    with running_product(tmp_path_factory.mktemp("product")) as running:
        yield running
