"""Make one instance of an incident, in namespaces that end with the process that made them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from workers.tests.lab import held
from workers.tests.lab.hosts import CommandFailedError, run
from workers.tests.lab.incident import Incident, Lab, all_incidents

if TYPE_CHECKING:
    from collections.abc import Iterable

REPOSITORY = Path(__file__).parents[3]
TOOLS = (
    "unshare",
    "nsenter",
    "ip",
    "nft",
    "iptables",
    "iptables-save",
    "conntrack",
    "tcpdump",
    "nstat",
    "ss",
    "ethtool",
)
ISOLATION = (
    "unshare",
    "--net",
    "--mount",
    "--pid",
    "--fork",
    "--kill-child",
    "--mount-proc",
    "--propagation=private",
)
LONGEST_S = 900
AHEAD = -10
"""The niceness of an instance's programs: the other work of this machine must not hold them. They mostly wait."""
LISTED_CALLS = 200


def why_not() -> str | None:
    """Why no instance can be made on this machine; None where one can."""
    if os.geteuid():
        return "making network namespaces needs root"
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing:
        return f"not installed: {', '.join(missing)}"
    tried = subprocess.run(
        [*ISOLATION, "ip", "link", "add", "tried", "type", "veth"],
        capture_output=True,
        text=True,
        check=False,
    )
    return f"no namespaces with veth here: {tried.stderr.strip()}" if tried.returncode else None


def make_instance(name: str, seed: int, folder: Path) -> None:
    """Make one instance in a child that no process, mount or namespace outlives."""
    folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        [
            *ISOLATION,
            sys.executable,
            "-m",
            "workers.tests.lab.instance",
            name,
            str(seed),
            str(folder.resolve()),
        ],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=LONGEST_S,
        check=False,
    )
    if done.returncode:
        raise CommandFailedError(f"{name}, seed {seed}: {done.stderr.strip()}")


def make_instances(plan: Iterable[tuple[str, int]], root: Path, at_once: int) -> list[str]:
    """Make what `root` does not hold whole yet, several side by side; what failed, in one line each."""
    wanted = [(name, seed) for name, seed in plan if not is_made(root, name, seed)]
    with ThreadPoolExecutor(at_once) as pool:
        failed = pool.map(lambda each: _made_anew(root, each[0], each[1]), wanted)
        return [line for line in failed if line]


def folder_of(root: Path, name: str, seed: int) -> Path:
    """Where an instance is kept."""
    return root / f"{name}-s{seed}"


def is_made(root: Path, name: str, seed: int) -> bool:
    """Its expectations are written last."""
    return (folder_of(root, name, seed) / "expect.json").is_file()


def _made_anew(root: Path, name: str, seed: int) -> str:
    """Without what a run that was cut short left."""
    folder = folder_of(root, name, seed)
    shutil.rmtree(folder, ignore_errors=True)
    try:
        make_instance(name, seed, folder)
    except (CommandFailedError, subprocess.TimeoutExpired) as error:
        return f"{name}, seed {seed}: {error}"
    return ""


def _make_here(chosen: Incident, seed: int, folder: Path) -> None:
    """Make the instance in this process, which is inside its own namespaces."""
    Path("/run/netns").mkdir(exist_ok=True)
    run("mount", "-t", "tmpfs", "lab", "/run/netns")
    lab = Lab(Random(f"{chosen.name} {seed}"), folder)
    os.setpriority(os.PRIO_PROCESS, 0, AHEAD)
    held.log.watch("hosts")
    started = time.time()
    cases = chosen.make(lab)
    slow = [
        call for call in lab.calls if call.failed or call.delayed or max(call.request_ms, default=0) > 500
    ]
    truth = {
        "scenario": chosen.name,
        "seed": seed,
        "kernel": os.uname().release,
        "wall_start": started,
        "wall_end": time.time(),
        "incident": chosen.cause is not None,
        "cause": chosen.cause,
        "what": chosen.what,
        **lab.truth,
        "connections": len(lab.calls),
        "syn_again": lab.delayed,
        "failed": sum(call.failed for call in lab.calls),
        "tcpdump": lab.recording.tcpdump,
        "counters_that_rose": lab.recording.nstat,
        "held": [asdict(pause) for pause in held.log],
        "slow_or_failed": [asdict(call) for call in slow[:LISTED_CALLS]],
    }
    _write(folder / "truth.json", truth)
    _write(folder / "expect.json", {"cases": [case.as_json() for case in cases]})


def _write(path: Path, content: object) -> None:
    path.write_text(json.dumps(content, indent=1) + "\n")


def main() -> int:
    """The child: NAME SEED FOLDER."""
    name, seed, folder = sys.argv[1:]
    _make_here(all_incidents()[name], int(seed), Path(folder))
    sys.stdout.flush()
    # Threads that still serve or sleep are not waited for: the namespaces go with this process.
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main())
