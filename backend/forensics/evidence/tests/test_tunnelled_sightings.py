"""The same packet inside and outside a tunnel is one packet; equal tuples in two networks are two."""

from __future__ import annotations

import pytest

from backend.forensics.evidence.absence.losses import locate_losses
from backend.forensics.evidence.attempts.attempts import collect_attempts
from backend.forensics.evidence.losses.rivals import find_rivals
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, Hop, S, plain_path

CLIENT, SERVER = "10.0.0.1:40000", "10.0.1.10:80"
STRONG = {"ip_id": 7, "timestamp_value": 7}
WEAK = {"ip_id": 0, "timestamp_value": 0}


@pytest.mark.parametrize("marks", [STRONG, WEAK])
def test_bare_at_the_bridge_and_inside_vxlan_at_the_uplink_is_one_transmission(marks: dict[str, int]) -> None:
    capture = CaptureBuilder(places=("cni0", "eth0"))
    capture.syn(T0_NS, plain_path(CLIENT, SERVER, "cni0"), isn=1, **marks)
    capture.syn(T0_NS + MS, [Hop("eth0", 0, CLIENT, SERVER)], isn=1, tunnel=1, **marks)
    attempts = collect_attempts([capture.build()])
    assert attempts.table["transmissions"].tolist() == [1]


@pytest.mark.parametrize("marks", [STRONG, WEAK])
def test_both_at_one_vantage_point_are_one_transmission_too(marks: dict[str, int]) -> None:
    capture = CaptureBuilder(places=("any",))
    capture.syn(T0_NS, plain_path(CLIENT, SERVER, "any"), isn=1, **marks)
    capture.syn(T0_NS + MS, plain_path(CLIENT, SERVER, "any"), isn=1, tunnel=1, **marks)
    assert collect_attempts([capture.build()]).table["transmissions"].tolist() == [1]


def test_equal_tuples_in_two_networks_are_two_attempts() -> None:
    capture = CaptureBuilder(places=("eth0",))
    for tunnel in (1, 2):
        capture.syn(T0_NS + tunnel * MS, plain_path(CLIENT, SERVER, "eth0"), isn=1, tunnel=tunnel, **WEAK)
    table = collect_attempts([capture.build()]).table
    assert table["transmissions"].tolist() == [1, 1]


@pytest.mark.parametrize(("tunnel", "rivals"), [(1, 1), (2, 0)])
def test_a_rival_is_one_in_the_same_network(tunnel: int, rivals: int) -> None:
    capture = CaptureBuilder(places=("eth0",))
    path = plain_path(CLIENT, SERVER, "eth0")
    capture.syn(T0_NS, path, isn=1, tunnel=1)
    capture.syn(T0_NS + S, path, isn=1, tunnel=1)
    other = plain_path("10.0.0.2:40000", SERVER, "eth0")
    capture.syn(T0_NS + MS // 2, other, isn=9, tunnel=tunnel)
    attempts = collect_attempts([capture.build()])
    found = find_rivals(attempts, locate_losses(attempts), within_ns=MS)
    assert len(found) == rivals
