"""The product at an address that is not loopback: in a network namespace of its own, with programs beside it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest

from backend.access.rate_limit import SECRET
from backend.api.tests.running_product import DEMO, Product, running_product
from workers.cli.main import main

ADDRESS = "192.0.2.7"
PASSWORD = "correct horse"
DUMP = DEMO / "snat-race" / "conntrack-S-after.txt"


@dataclass(frozen=True)
class Namespace:
    """Commands in it see its addresses alone."""

    name: str

    @property
    def within(self) -> tuple[str, ...]:
        """What to put before a command."""
        return ("ip", "netns", "exec", self.name)

    def run(
        self, command: Sequence[str], *, given: str = "", **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """A command in it."""
        bare = {name: value for name, value in os.environ.items() if not name.startswith("STALLSCOPE_")}
        return subprocess.run(
            [*self.within, *command],
            input=given,
            env=bare | environment,
            capture_output=True,
            text=True,
            check=False,
        )

    def stallscope(
        self, *arguments: str, given: str = "", token: str = ""
    ) -> subprocess.CompletedProcess[str]:
        """The command line."""
        environment = {"STALLSCOPE_TOKEN": token} if token else {}
        command = [sys.executable, "-m", "workers.cli.main", *arguments]
        return self.run(command, given=given, PYTHONPATH=str(Path(__file__).parents[3]), **environment)


@pytest.fixture(scope="module")
def namespace() -> Iterator[Namespace]:
    made = Namespace(f"stallscope-{uuid4().hex[:8]}")
    add = ("ip", "netns", "add", made.name)
    if os.geteuid() or subprocess.run(add, check=False, capture_output=True).returncode:
        pytest.skip("network namespaces need root and iproute2")
    try:
        for command in ("ip link set lo up", f"ip address add {ADDRESS}/32 dev lo"):
            assert made.run(command.split()).returncode == 0
        yield made
    finally:
        subprocess.run(["ip", "netns", "delete", made.name], check=True)


@pytest.fixture(scope="module")
def product(namespace: Namespace, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    folder = tmp_path_factory.mktemp("product")
    settings = {"HOST": ADDRESS, "ADMIN_PASSWORD": PASSWORD, "TRUSTED_PROXIES": ADDRESS}
    with running_product(folder, within=namespace.within, **settings) as running:
        assert running.address.startswith(f"http://{ADDRESS}:")
        yield running


@dataclass(frozen=True)
class Admin:
    """Signed in with curl."""

    namespace: Namespace
    product: Product
    jar: Path

    def post(self, path: str, body: object) -> dict[str, str]:
        """What the server answers."""
        done = self.namespace.run(
            [
                *("curl", "-sS", "--fail-with-body", "-b", str(self.jar), "-c", str(self.jar)),
                *("-H", "Content-Type: application/json", "--data-binary", "@-", f"{self.product.api}{path}"),
            ],
            given=json.dumps(body),
        )
        assert done.returncode == 0, done.stdout + done.stderr
        found: dict[str, str] = json.loads(done.stdout)
        return found

    def token(self, scope: str) -> str:
        """A new one."""
        return self.post("/tokens", {"name": scope, "scope": scope})["token"]


@pytest.fixture(scope="module")
def admin(namespace: Namespace, product: Product, tmp_path_factory: pytest.TempPathFactory) -> Admin:
    signed_in = Admin(namespace, product, tmp_path_factory.mktemp("admin") / "jar")
    assert signed_in.post("/sign-in", {"name": "admin", "password": PASSWORD})["role"] == "admin"
    return signed_in


def test_without_a_token_or_with_a_small_one_nothing_is_uploaded(
    namespace: Namespace, product: Product, admin: Admin
) -> None:
    upload = ("upload", str(DUMP), "--server", product.address)
    refused = namespace.stallscope(*upload)
    assert (refused.returncode, "send an access token" in refused.stderr) == (3, True)
    wrong = namespace.stallscope(*upload, token="stallscope_0123456789abcdef_" + "x" * 43)
    assert (wrong.returncode, "unknown, revoked or expired" in wrong.stderr) == (3, True)
    small = namespace.stallscope(*upload, token=admin.token("read"))
    assert (small.returncode, "scope does not allow" in small.stderr) == (3, True)


def test_a_token_uploads_and_compares(namespace: Namespace, product: Product, admin: Admin) -> None:
    token = admin.token("upload")
    upload = ("upload", str(DUMP), "--server", product.address, "--wait")
    ways = (
        namespace.stallscope(*upload, token=token),
        namespace.stallscope(*upload, "--token", "-", given=f"{token}\n"),
        namespace.stallscope(*upload, "--token", token),
    )
    assert [done.returncode for done in ways] == [0, 0, 0], [done.stderr for done in ways]
    links = [done.stdout.splitlines()[0] for done in ways]
    read = admin.token("read")
    assert namespace.stallscope("compare", links[0], links[1], token=read).returncode == 0
    assert namespace.stallscope("compare", links[0], links[1]).returncode == 3
    # A share link needs no token, nor does a token open more of it.
    made = admin.post(f"/investigations/{links[0].rpartition('/')[2]}/shares", {})
    shared = f"{product.address}{made['url_path']}"
    assert namespace.stallscope("compare", shared, shared).returncode == 0
    assert namespace.stallscope("compare", shared, links[1], token=read).returncode == 0


def test_guesses_are_counted_per_client_of_a_trusted_proxy(namespace: Namespace, product: Product) -> None:
    allowed = SECRET.per_address.wrong

    def statuses(client: str, times: int) -> list[str]:
        header = f"Authorization: Bearer stallscope_{client.replace('.', '0'):0<16.16}_{'x' * 43}"
        asked = [f"{product.api}/investigations"] * times
        form = ("-H", header, "-H", f"X-Forwarded-For: 203.0.113.9, {client}", "-w", "%{http_code}\n")
        files = [part for _ in asked for part in ("-o", "/dev/null")]
        return namespace.run(["curl", "-sS", *form, *files, *asked]).stdout.split()

    assert statuses("198.51.100.1", allowed + 1) == ["401"] * allowed + ["429"]
    assert statuses("198.51.100.2", 1) == ["401"]


def test_clear_text_is_warned_of(product: Product) -> None:
    assert "clear text" in product.log.read_text()


def _wait_for_its_own_program(pid: int) -> None:
    """Between fork and exec a child shows its parent's environment."""
    deadline = time.monotonic() + 30
    while "--parent" not in Path(f"/proc/{pid}/cmdline").read_text().split("\0"):
        assert time.monotonic() < deadline, Path(f"/proc/{pid}/cmdline").read_text()
        time.sleep(0.01)


def test_the_password_is_in_no_process_but_the_servers_own(product: Product) -> None:
    command = Path(f"/proc/{product.process.pid}/cmdline").read_text()
    assert PASSWORD not in command
    workers = product.worker_pids()
    assert workers
    for worker in workers:
        _wait_for_its_own_program(worker)
        assert PASSWORD not in Path(f"/proc/{worker}/environ").read_text()
        assert PASSWORD not in Path(f"/proc/{worker}/cmdline").read_text()
    assert PASSWORD.encode() not in (product.data / "stallscope.sqlite").read_bytes()


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.1", "::", "example.org"])
def test_others_are_not_served_before_somebody_can_sign_in(
    host: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["serve", "--host", host, "--data", str(tmp_path / "data")]) == 2
    assert "STALLSCOPE_ADMIN_PASSWORD" in capsys.readouterr().err
    assert not (tmp_path / "data").exists()
    monkeypatch.setenv("STALLSCOPE_ADMIN_PASSWORD", "short")
    assert main(["serve", "--host", host, "--data", str(tmp_path / "data")]) == 2
    assert "5 characters" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["serve", "--admin-password", PASSWORD])
