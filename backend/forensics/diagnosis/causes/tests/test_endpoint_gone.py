"""A backend that is removed, beside one that is dead, one that comes back, and one that nobody chose by chance."""

from __future__ import annotations

import pytest

from backend.forensics.captures import Capture
from backend.forensics.diagnosis.causes.tests.build_losses import confidence
from backend.forensics.packets import ACK, RST
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, Hop, S

GONE = "endpoint-gone"
SERVICE = "10.96.0.20:80"
BACKENDS = ("10.0.1.1:8080", "10.0.1.2:8080", "10.0.1.3:8080")


class Service(CaptureBuilder):
    """Connections to the service, of which each goes to one of three backends in turn."""

    def __init__(self) -> None:
        super().__init__()
        self._next = 0

    def _new(self, backend: str) -> tuple[int, int, list[Hop]]:
        self._next += 1
        client = f"10.244.0.5:{20_000 + self._next}"
        path = [Hop("cni0", 0, client, SERVICE), Hop("eth0", 20_000, client, backend)]
        return T0_NS + self._next * 50 * MS, 10_000 * self._next, path

    def opened(self, rounds: int, backends: tuple[str, ...] = BACKENDS) -> Service:
        for _ in range(rounds):
            for backend in backends:
                at_ns, isn, path = self._new(backend)
                self.connect(at_ns, path, isn=isn)
        return self

    def failing(self, rounds: int, *, silent: bool = False) -> Service:
        """The first backend fails, the others open."""
        for _ in range(rounds):
            at_ns, isn, path = self._new(BACKENDS[0])
            self.syn(at_ns, path, isn=isn)
            if silent:
                self.syn(at_ns + S, path, isn=isn)
                self.syn(at_ns + 3 * S, path, isn=isn)
            else:
                for hop in reversed(path):
                    columns = {"tcp_flags": RST | ACK, "acknowledgement": isn + 1}
                    self.packet(hop.place, at_ns + MS, hop.destination, hop.source, **columns)
            self.opened(1, BACKENDS[1:])
        return self


def rest(rounds: int = 12) -> tuple[int, tuple[str, ...]]:
    return rounds, BACKENDS[1:]


@pytest.mark.parametrize("silent", [False, True])
@pytest.mark.parametrize(("failing", "named"), [(3, True), (2, False)])
def test_a_removed_backend_is_named(failing: int, named: bool, silent: bool) -> None:
    capture = Service().opened(6).failing(failing, silent=silent).opened(*rest()).build()
    assert (confidence(GONE, capture) > 0.7) is named


@pytest.mark.parametrize(
    "resembling",
    [
        pytest.param(Service().opened(6).failing(5).build(), id="it keeps its share until the end"),
        pytest.param(Service().opened(6).failing(5).opened(12).build(), id="it comes back"),
        pytest.param(Service().failing(5).opened(*rest()).build(), id="it never answered"),
        pytest.param(Service().opened(6).failing(5).opened(*rest(4)).build(), id="too few to know"),
        pytest.param(Service().opened(6).opened(*rest()).build(), id="it was removed before it ended"),
    ],
)
def test_what_resembles_it_is_not(resembling: Capture) -> None:
    assert confidence(GONE, resembling) == 0.0
