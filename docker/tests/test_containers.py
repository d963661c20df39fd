"""What the containers run, without containers: the compose file's promises and both scripts on PostgreSQL."""

import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
import yaml

ROOT = Path(__file__).parents[2]
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))


def test_the_services_are_api_worker_and_database_on_one_volume() -> None:
    assert set(COMPOSE["services"]) == {"api", "worker", "database"}
    assert list(COMPOSE["volumes"]) == ["data"]


@pytest.mark.parametrize("service", ["api", "worker"])
def test_each_service_runs_a_script_that_the_image_holds(service: str) -> None:
    script = COMPOSE["services"][service]["command"]
    assert os.access(ROOT / "docker" / script, os.X_OK)
    assert f"docker/{script}" in (ROOT / "docker" / "Dockerfile").read_text(encoding="utf-8")


def test_the_image_copies_only_what_exists() -> None:
    text = (ROOT / "docker" / "Dockerfile").read_text(encoding="utf-8")
    copies = re.findall(r"^COPY (?:--chmod=\d+ )?((?!--from)\S.*) \S+$", text, flags=re.MULTILINE)
    sources = [source for line in copies for source in line.split()]
    assert sources
    assert [source for source in sources if not list(ROOT.glob(source))] == []


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@pytest.fixture
def empty_database(postgres_url: str) -> Iterator[str]:
    """The address of a database of its own, dropped afterwards."""
    name = f"containers_{uuid.uuid4().hex[:12]}"
    server = postgres_url.replace("postgresql+psycopg://", "postgresql://")
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    yield postgres_url.rsplit("/", 1)[0] + "/" + name
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


@contextmanager
def running(script: str, settings: dict[str, str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [str(ROOT / "docker" / script)],
            env={**os.environ, **settings, "PATH": path},
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=log.parent,
        )
        try:
            yield process
        finally:
            process.terminate()
            process.wait(timeout=120)


def status_of(url: str) -> int:
    try:
        with urllib.request.urlopen(url, timeout=120) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as refusal:
        refusal.close()
        return refusal.code
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return 0


def wait_until_ready(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    give_up = time.monotonic() + 90
    while time.monotonic() < give_up:
        assert process.poll() is None, log.read_text(errors="replace")
        if status_of(url) == 200:
            return
        time.sleep(0.2)
    pytest.fail(f"{url} is not ready after 90 s:\n{log.read_text(errors='replace')}")


def test_both_scripts_run_on_postgresql_without_containers(empty_database: str, tmp_path: Path) -> None:
    port = free_port()
    settings = {
        "STALLSCOPE_DATABASE_URL": empty_database,
        "STALLSCOPE_DATA": str(tmp_path / "data"),
        "STALLSCOPE_PORT": str(port),
    }
    api_log, worker_log = tmp_path / "api.log", tmp_path / "worker.log"
    with running("run-api.sh", settings, api_log) as api:
        wait_until_ready(api, f"http://127.0.0.1:{port}/readyz", api_log)
        with running("run-worker.sh", settings, worker_log) as worker:
            time.sleep(5)
            assert worker.poll() is None, worker_log.read_text(errors="replace")
            assert status_of(f"http://127.0.0.1:{port}/api/v1/investigations") == 200
