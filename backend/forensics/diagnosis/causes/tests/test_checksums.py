"""Checksum errors by the receiver's counters and log lines."""

from __future__ import annotations

from dataclasses import replace

import pytest

from backend.forensics.captures import Capture
from backend.forensics.diagnosis.causes.tests.build_losses import SERVER, Losses, add_data
from backend.forensics.diagnosis.causes.tests.dump_cases import confidence, counters, log, owner
from backend.forensics.tunnels import NO_TUNNEL, Tunnel, TunnelLayer
from backend.forensics.tunnels import VXLAN as VXLAN_LAYER

OVERLAY, INNER = "overlay-bad-checksum", "inner-checksum-drop"
BAD = "UDP: bad checksum. From 10.0.0.5:41871 to 10.0.0.6:8472 ulen 110"
VXLAN = owner("02:00:00:00:00:bb", host="node")


def test_a_logged_datagram_to_the_port_of_an_overlay_names_it() -> None:
    assert confidence(OVERLAY, [log(BAD)]) > 0.7
    assert confidence(OVERLAY, [log(BAD.replace(":8472", ":53"))]) == 0.0


@pytest.mark.parametrize(("by", "said"), [(2, False), (3, True)])
def test_the_counter_beside_an_overlay_is_possible(by: int, said: bool) -> None:
    listed = [counters(1, UdpInCsumErrors=4), counters(2, UdpInCsumErrors=4 + by)]
    assert (0.3 < confidence(OVERLAY, [*listed, VXLAN]) <= 0.5) is said
    assert confidence(OVERLAY, listed) == 0.0
    assert confidence(OVERLAY, [*listed, log(BAD)]) > 0.7


@pytest.mark.parametrize(("by", "named"), [(2, False), (19, False), (20, True)])
def test_many_wrong_segments_are_named_and_few_are_not(by: int, named: bool) -> None:
    listed = [counters(1, TcpInCsumErrors=4), counters(2, TcpInCsumErrors=4 + by)]
    assert (confidence(INNER, listed) > 0.5) is named


def test_old_errors_are_none() -> None:
    assert confidence(INNER, [counters(1, TcpInCsumErrors=900)]) == 0.0
    assert confidence(INNER, [counters(1, TcpInCsumErrors=900), counters(2, TcpInCsumErrors=900)]) == 0.0


def _in_overlay(capture: Capture) -> Capture:
    """The same connections, captured inside a VXLAN."""
    handshakes = capture.handshakes.copy()
    handshakes["tunnel"] = 1
    path = Tunnel((TunnelLayer(VXLAN_LAYER, 1, "10.0.0.5", "10.0.0.6"),))
    return replace(capture, handshakes=handshakes, tunnels=(NO_TUNNEL, path))


@pytest.mark.parametrize(("by", "named"), [(4, False), (5, True)])
def test_a_counter_that_explains_the_losses_in_the_overlay_names_it(by: int, named: bool) -> None:
    lost = add_data(Losses().usual(SERVER, 60).late(SERVER, 10).build(), 400, 20)
    listed = [counters(1, UdpInCsumErrors=4), counters(2, UdpInCsumErrors=4 + by), VXLAN]
    assert (confidence(OVERLAY, listed, [_in_overlay(lost)]) > 0.7) is named
    assert (confidence("path-loss", listed, [_in_overlay(lost)]) < 0.5) is named


def test_losses_outside_of_the_overlay_are_not_its_own() -> None:
    lost = add_data(Losses().usual(SERVER, 60).late(SERVER, 10).build(), 400, 20)
    listed = [counters(1, UdpInCsumErrors=4), counters(2, UdpInCsumErrors=24), VXLAN]
    assert confidence(OVERLAY, listed, [lost]) <= 0.5
    assert confidence("path-loss", listed, [lost]) > 0.5
