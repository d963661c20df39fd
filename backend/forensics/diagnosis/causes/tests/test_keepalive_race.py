"""A RST whose number does not acknowledge the server's FIN answers a request that crossed it."""

from __future__ import annotations

import pytest

from backend.forensics.captures import Capture
from backend.forensics.diagnosis.causes.tests.dump_cases import confidence
from backend.forensics.packets import RST
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, Hop, S

CAUSE = "keepalive-race"
SERVER = "192.0.2.10:80"
ANSWER_BYTES = 420


def closed(crossed: int, late: int = 0, *, fin: bool = True, other: int = 0) -> Capture:
    """Connections whose server sent so many bytes, a FIN and a RST: to a segment from before the FIN, or from after."""
    capture = CaptureBuilder(places=("eth0",))
    for number in range(crossed + late + other):
        client, isn = f"10.0.0.1:{20_000 + number}", 1_000 * number
        at_ns = T0_NS + number * 50 * MS
        capture.connect(at_ns, [Hop("eth0", 0, client, SERVER)], isn=isn)
        behind = isn + 7 + 1 + ANSWER_BYTES
        sequence = behind if number < crossed else behind + 1 if number < crossed + late else isn + 9
        capture.packet("eth0", at_ns + 2 * S, SERVER, client, tcp_flags=RST, sequence=sequence)
    built = capture.build()
    built.connections["fins"] = 3 if fin else 1
    built.connections["server_bytes"] = ANSWER_BYTES
    built.connections["client_bytes"] = 90
    return built


def test_requests_that_crossed_the_fin_are_named() -> None:
    assert confidence(CAUSE, [], [closed(4)]) > 0.7


@pytest.mark.parametrize(("crossed", "named"), [(1, False), (2, True)])
def test_one_of_them_is_an_accident(crossed: int, named: bool) -> None:
    assert (confidence(CAUSE, [], [closed(crossed)]) > 0.5) is named


def test_clients_that_had_the_fin_are_no_race() -> None:
    assert confidence(CAUSE, [], [closed(0, late=5)]) == 0.0
    assert confidence(CAUSE, [], [closed(2, late=5)]) < 0.5


def test_resets_without_a_fin_or_in_the_midst_of_data_are_none() -> None:
    assert confidence(CAUSE, [], [closed(5, fin=False)]) == 0.0
    assert confidence(CAUSE, [], [closed(0, other=5)]) == 0.0
