"""A kernel that answers what version of a protection it has, and then refuses to install it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from backend.api.tests.running_product import DEMO, running_product
from workers.confinement.trial import THREAD_LIMIT, Confinement, confinement_here
from workers.sandbox import Access, ChildPool, Notify, child_work
from workers.tests.refusing_kernel import under

HELD = confinement_here()
needs_root = pytest.mark.skipif(os.getuid() != 0, reason="threads of others than root are always counted")
DUMP = (DEMO / "snat-race" / "conntrack-S-before.txt").read_bytes()


@child_work()
def look_around(foreign: Path, notify: Notify) -> dict[str, bool]:
    """What of the confinement a child feels."""
    return {
        "Landlock": _refused(foreign.read_bytes),
        "seccomp": _refused(os.fork),
    }


def _refused(attempt: Callable[[], object]) -> bool:
    child = os.getpid()
    try:
        attempt()
    except PermissionError:
        return True
    if os.getpid() != child:
        os._exit(0)
    return False


def ask_a_child(foreign: str) -> None:
    """In the process that is refused something: say what is missing, and what a child feels."""
    pool = ChildPool(1, works=(look_around,))
    felt = pool.run(
        look_around,
        (Path(foreign),),
        notify=print,
        is_wanted=lambda: True,
        access=Access(may_start_programs=False),
    )
    pool.close()
    print(json.dumps([confinement_here().missing, felt]))


@pytest.mark.promise("A machine that refuses a part of the confinement does without that part alone.")
@pytest.mark.skipif(bool(HELD.missing), reason=f"not available here: {', '.join(HELD.missing)}")
@pytest.mark.parametrize(
    ("refused", "missing"),
    [
        ([], []),
        (["Landlock"], ["Landlock"]),
        (["Landlock, deadly"], ["Landlock"]),
        (["seccomp"], ["seccomp"]),
        (["network namespaces"], ["network namespaces"]),
        pytest.param([THREAD_LIMIT], [THREAD_LIMIT], marks=needs_root),
        pytest.param(["CAP_SETUID"], [f"{THREAD_LIMIT} (CAP_SETUID)"], marks=needs_root),
        pytest.param(["CAP_KILL"], [f"{THREAD_LIMIT} (CAP_KILL)"], marks=needs_root),
        pytest.param(["CAP_DAC_OVERRIDE"], [f"{THREAD_LIMIT} (CAP_DAC_OVERRIDE)"], marks=needs_root),
        pytest.param(
            ["CAP_SETUID", "CAP_DAC_OVERRIDE"],
            [f"{THREAD_LIMIT} (CAP_SETUID and CAP_DAC_OVERRIDE)"],
            marks=needs_root,
        ),
    ],
)
def test_work_is_done_and_the_rest_holds(tmp_path: Path, refused: list[str], missing: list[str]) -> None:
    foreign = tmp_path / "foreign"
    foreign.write_bytes(b"1")
    program = f"from {__name__} import ask_a_child; ask_a_child({str(foreign)!r})"
    said = subprocess.run(
        [*under(*refused), sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert said.returncode == 0, said.stderr
    told, felt = json.loads(said.stdout)
    assert told == missing
    assert felt == {part: part not in missing for part in ("Landlock", "seccomp")}


@pytest.mark.skipif(bool(HELD.missing), reason=f"not available here: {', '.join(HELD.missing)}")
def test_the_product_works_without_any_of_it_and_says_so(tmp_path: Path) -> None:
    refused = [part for part in Confinement().missing if part != THREAD_LIMIT or os.getuid() == 0]
    with (
        running_product(tmp_path, within=under(*refused), QUIET_S="0.1") as product,
        product.client() as client,
    ):
        investigation = product.new_investigation()
        client.put(f"/investigations/{investigation}/files/a.txt", content=DUMP).raise_for_status()
        assert product.wait_until_over(investigation)["analysis"] == "finished"
        (worker,) = client.get("/workers").raise_for_status().json()["items"]
        ready = httpx.get(f"{product.address}/readyz", trust_env=False, timeout=120)
    assert worker["not_confined_by"] == refused
    assert ready.status_code == 200
    assert ready.text.splitlines()[0] == "ready"
    assert all(part in ready.text for part in refused)
    assert all(part in product.log.read_text() for part in refused)
