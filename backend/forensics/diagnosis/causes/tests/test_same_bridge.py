"""SYNs that come back to their sender, and answers from an address that nobody asked."""

from __future__ import annotations

import pytest

from backend.forensics.diagnosis.causes.tests.dump_cases import confidence, settings
from backend.forensics.packets import ACK, RST, SYN
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, Hop, S

POD, SERVICE, OTHER = "10.0.0.1", "10.96.0.9:80", "10.0.0.7:80"
HAIRPIN, BYPASS = "hairpin", "bridge-netfilter-off"
OFF = settings(**{"net__bridge__bridge-nf-call-iptables": "0"})
ON = settings(**{"net__bridge__bridge-nf-call-iptables": "1"})


def hops(number: int, endpoint: str, *, masquerade: bool = False) -> list[Hop]:
    """A SYN of the pod to the service, and what the node sends on."""
    port = 20_000 + number
    source = f"10.0.0.254:{port}" if masquerade else f"{POD}:{port}"
    return [Hop("veth", 0, f"{POD}:{port}", SERVICE), Hop("cni0", 20_000, source, endpoint)]


def calls(
    to_itself: int, elsewhere: int, *, opens: bool = False, masquerade: bool = False, retry: bool = False
) -> CaptureBuilder:
    capture = CaptureBuilder(places=("veth", "cni0"))
    for number in range(to_itself + elsewhere):
        own = number < to_itself
        path = hops(number, f"{POD}:80" if own else OTHER, masquerade=own and masquerade)
        at_ns = T0_NS + number * 50 * MS
        if not own or opens:
            capture.connect(at_ns, path, isn=1_000 * number + 5)
            continue
        capture.syn(at_ns, path, isn=1_000 * number + 5)
        if retry:
            capture.connect(at_ns + S, hops(number, OTHER), isn=1_000 * number + 5)
        else:
            capture.syn(at_ns + S, path, isn=1_000 * number + 5)
    return capture


@pytest.mark.parametrize("masquerade", [False, True])
@pytest.mark.parametrize("retry", [False, True])
def test_syns_translated_to_their_own_sender_are_named(masquerade: bool, retry: bool) -> None:
    capture = calls(3, 6, masquerade=masquerade, retry=retry).build()
    assert confidence(HAIRPIN, [], [capture]) > 0.7


def test_one_of_them_is_possible_and_two_are_more() -> None:
    one, two = (confidence(HAIRPIN, [], [calls(number, 6, masquerade=True).build()]) for number in (1, 2))
    assert one < 0.5 < two


def test_a_pod_that_reaches_itself_is_none() -> None:
    assert confidence(HAIRPIN, [], [calls(3, 6, opens=True, masquerade=True).build()]) == 0.0


def test_an_endpoint_that_is_silent_is_none() -> None:
    capture = CaptureBuilder(places=("veth", "cni0"))
    for number in range(3):
        for again in (0, S):
            capture.syn(T0_NS + number * 50 * MS + again, hops(number, OTHER), isn=1_000 * number + 5)
    assert confidence(HAIRPIN, [], [capture.build()]) == 0.0


def test_a_program_that_calls_its_own_host_is_none() -> None:
    capture = CaptureBuilder(places=("lo",))
    for number in range(3):
        ends = f"127.0.0.1:{20_000 + number}", "127.0.0.1:80"
        for again in (0, S):
            capture.syn(T0_NS + number * 50 * MS + again, [Hop("lo", 0, *ends)], isn=1_000 * number + 5)
    assert confidence(HAIRPIN, [], [capture.build()]) == 0.0


def bypassed(number: int, *, reset: bool = True, source: str = OTHER, ttl: int = 64) -> CaptureBuilder:
    """SYNs to the service as the client sees them, answered by somebody else."""
    capture = CaptureBuilder(places=("eth0",))
    for n in range(number):
        client, at_ns, isn = f"{POD}:{20_000 + n}", T0_NS + n * 50 * MS, 1_000 * n + 5
        capture.syn(at_ns, [Hop("eth0", 0, client, SERVICE)], isn=isn)
        columns = {"tcp_flags": SYN | ACK, "sequence": isn + 7, "acknowledgement": isn + 1, "ttl": ttl}
        capture.packet("eth0", at_ns + MS, source, client, **columns)
        if reset:
            capture.packet("eth0", at_ns + MS + 1_000, client, source, tcp_flags=RST, sequence=isn + 1)
    return capture


def test_answers_of_another_address_that_are_reset_are_named() -> None:
    assert confidence(BYPASS, [], [bypassed(4).build()]) > 0.7


def test_each_sign_adds_and_the_setting_decides() -> None:
    routed, bridged = bypassed(4, ttl=63).build(), bypassed(4).build()
    assert confidence(BYPASS, [], [routed]) < confidence(BYPASS, [], [bridged])
    assert confidence(BYPASS, [OFF], [bridged]) > confidence(BYPASS, [], [bridged])
    assert confidence(BYPASS, [ON], [bridged]) < 0.5


@pytest.mark.parametrize(("number", "named"), [(1, False), (2, True)])
def test_a_single_answer_is_an_accident(number: int, named: bool) -> None:
    assert (confidence(BYPASS, [], [bypassed(number).build()]) > 0.5) is named


def test_answers_of_the_service_or_without_a_reset_are_none() -> None:
    assert confidence(BYPASS, [], [bypassed(4, source=SERVICE).build()]) == 0.0
    assert confidence(BYPASS, [], [bypassed(4, reset=False).build()]) == 0.0


def test_the_setting_alone_names_nothing() -> None:
    assert confidence(BYPASS, [OFF]) == 0.0


def test_a_prober_that_uses_port_and_number_for_two_services_gets_its_own_answers() -> None:
    """hping3 started twice with one seed: the closed port refuses, the open one answers, and the prober resets."""
    capture = CaptureBuilder(places=("eth0",))
    closed, open_port = "10.0.0.7:9261", "10.0.0.7:30258"
    for number in range(4):
        client, isn, at_ns = f"{POD}:{20_000 + number}", 1_000 * number + 5, T0_NS + number * 50 * MS
        capture.syn(at_ns, [Hop("eth0", 0, client, closed)], isn=isn)
        refusal = {"tcp_flags": RST | ACK, "acknowledgement": isn + 1}
        capture.packet("eth0", at_ns + MS, closed, client, **refusal)
        capture.syn(at_ns + 6 * MS, [Hop("eth0", 0, client, open_port)], isn=isn)
        row = {"tcp_flags": SYN | ACK, "sequence": 9, "acknowledgement": isn + 1}
        capture.packet("eth0", at_ns + 7 * MS, open_port, client, **row)
        capture.packet("eth0", at_ns + 7 * MS + 5, client, open_port, tcp_flags=RST, sequence=isn + 1)
    assert confidence(BYPASS, [], [capture.build()]) == 0.0
