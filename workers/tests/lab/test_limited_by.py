"""The shares of what limits a connection, against the counters and the state of the sender's own socket."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from backend.forensics.evidence.tcp.limited_by import limited_by
from workers.decode.captures import decode_capture
from workers.tests.lab.instance import make_instance, why_not

SEEDS = (1, 2, 3)
_BUSY_RATIO = 0.05
"""Of the whole: the kernel counts in jiffies, and the captured connection ends after the socket was asked."""
_WINDOW_RATIO = 0.2
"""The socket is asked each millisecond: spells that end within it are missed."""
_AWAY_BUSY_RATIO, _AWAY_RATIO = 0.2, 0.4
"""Behind a queue the round trip is longer than that of the handshake: at the receiver alone the network and the
receiver window are not separated better."""


@pytest.mark.long
@pytest.mark.parametrize("seed", SEEDS)
def test_the_shares_are_those_of_the_senders_socket(seed: int, tmp_path: Path) -> None:
    if reason := why_not():
        pytest.skip(f"no incident can be made here: {reason}")
    make_instance("limited-transfers", seed, tmp_path)
    uploads = json.loads((tmp_path / "truth.json").read_text())["uploads"]
    for file, busy_ratio, window_ratio in (
        ("pod0.pcap", _BUSY_RATIO, _WINDOW_RATIO),
        ("server0.pcap", _AWAY_BUSY_RATIO, _AWAY_RATIO),
    ):
        table = decode_capture(tmp_path / file, name=file, sha256="", packets_path=None).connections
        limits = limited_by(table)
        for upload in uploads:
            row = int(np.flatnonzero(table["server_port"] == upload["port"])[0])
            share = {name: float(shares[row]) for name, shares in limits.named()}
            assert sum(share.values()) == pytest.approx(1)
            total_s = upload["total_s"]
            busy = upload["busy_s"] / total_s
            assert share["network"] + share["receiver_window"] == pytest.approx(busy, abs=busy_ratio)
            filled = upload["filled_window_s"] / total_s
            assert share["receiver_window"] == pytest.approx(filled, abs=window_ratio)
            assert share["receiver_window"] >= upload["receiver_window_s"] / total_s - window_ratio
    most = {each["name"]: each for each in uploads}
    assert most["application"]["busy_s"] < most["application"]["total_s"] / 2
