"""Wireshark's own count of packets, for every capture there is: ours, generated, and strangers'."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from workers.decode.captures import NotACapture, decode_capture

SAMPLES = Path(__file__).parent / "samples"


@pytest.fixture(scope="module")
def capinfos() -> str:
    found = shutil.which("capinfos")
    if found is None:
        pytest.skip("capinfos is not installed")
    return found


def packets_by_wireshark(capinfos: str, path: Path) -> int | None:
    shown = subprocess.run(
        [capinfos, "-c", "-M", "-T", "-r", str(path)], capture_output=True, text=True, check=False
    )
    return int(shown.stdout.split("\t")[-1]) if shown.stdout.strip() else None


def check(capinfos: str, path: Path) -> bool:
    """Whether it is a capture; fails when the counts differ."""
    try:
        ours = decode_capture(path, name=path.name, sha256="", packets_path=None)
    except NotACapture:
        return False
    theirs = packets_by_wireshark(capinfos, path)
    assert (path.name, ours.packets) == (path.name, theirs if theirs is not None else 0)
    return True


def test_samples(capinfos: str) -> None:
    assert sum(check(capinfos, path) for path in sorted(SAMPLES.iterdir()) if path.is_file()) == 14


@pytest.mark.parametrize("folder", ["public", "lab/formats"])
def test_captures_outside_the_repository(folder: str, capinfos: str, extra_captures: Path) -> None:
    paths = [path for path in sorted((extra_captures / folder).iterdir()) if ".pcap" in path.name]
    assert sum(check(capinfos, path) for path in paths) >= len(paths) - 2
