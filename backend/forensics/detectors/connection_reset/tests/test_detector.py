"""Resets are sorted by who sent them and what had gone before."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from backend.forensics.detection.contract import Detection
from backend.forensics.detectors.connection_reset.detector import detect
from backend.forensics.evidence.facts import gather_facts
from backend.forensics.messages import (
    HTTP_DTYPE,
    REQUEST_SEEN,
    RESPONSE_SEEN,
    TEXTS,
    HeldMessages,
    Messages,
    message_schema,
)
from backend.forensics.packets import ACK, RST
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, Hop, S, plain_path

SERVER = "192.0.2.10:80"
PLACES = ("cni0", "eth0")


def opened(capture: CaptureBuilder, number: int, *, reset_by: str = "", server: str = SERVER) -> None:
    client, at_ns = f"10.0.0.1:{20_000 + number}", T0_NS + number * 10 * MS
    capture.connect(at_ns, plain_path(client, server, *PLACES), isn=number + 1)
    ends = {"server": (server, client), "client": (client, server)}
    for place in PLACES if reset_by else ():
        capture.packet(place, at_ns + S, *ends[reset_by], tcp_flags=RST | ACK)


def resets(by: str, number: int, *, among: int = 0) -> CaptureBuilder:
    capture = CaptureBuilder()
    for n in range(number):
        opened(capture, n, reset_by=by)
    for n in range(number, among):
        opened(capture, n)
    return capture


def detection(
    capture: CaptureBuilder,
    *,
    fins: int = 0,
    client_bytes: int = 100,
    server_bytes: int = 0,
) -> Detection:
    built = capture.build()
    built.connections["fins"] = fins
    built.connections["client_bytes"][built.connections["syns"] > 0] = client_bytes
    built.connections["server_bytes"][built.connections["syns"] > 0] = server_bytes
    return detect(gather_facts([built], []))


@pytest.mark.parametrize(
    ("number", "among", "notable"), [(3, 3, True), (2, 2, False), (5, 100, True), (4, 100, False)]
)
def test_a_server_that_resets_is_notable_when_users_meet_it(number: int, among: int, notable: bool) -> None:
    (finding,) = detection(resets("server", number, among=among)).findings
    assert (finding.count, finding.severity) == (number, "warning" if notable else "info")


@pytest.mark.parametrize(("answered", "severity"), [(95, "warning"), (96, "info")])
def test_requests_on_kept_connections_count_as_asked(answered: int, severity: str) -> None:
    built = resets("server", 5, among=7).build()
    built.connections["client_bytes"][built.connections["syns"] > 0] = 100
    built.connections["server_bytes"][-1] = 100
    rows = np.zeros(answered, HTTP_DTYPE)
    rows["connection"] = len(built.connections) - 1
    rows["marks"], rows["from_client"] = REQUEST_SEEN | RESPONSE_SEEN, 1
    rows["request_sequence"] = np.arange(answered)
    rows["request_last_ns"], rows["response_first_ns"] = T0_NS, T0_NS + MS
    columns = [pa.array(np.ascontiguousarray(rows[name])) for name in HTTP_DTYPE.names or ()]
    texts = [pa.array([""] * answered, pa.string()) for _ in TEXTS["http"]]
    http = HeldMessages(pa.table([*columns, *texts], schema=message_schema("http")))
    (finding,) = detect(gather_facts([replace(built, messages=Messages(http=http))], [])).findings
    assert (finding.severity, finding.measures["requests_answered"]) == (severity, answered)


def test_a_connection_that_carried_nothing_harmed_nobody() -> None:
    (finding,) = detection(resets("server", 20), client_bytes=0).findings
    assert finding.severity == "info"


def test_a_server_that_answered_may_close_by_rst() -> None:
    (finding,) = detection(resets("server", 20), server_bytes=210).findings
    assert finding.severity == "info"


@pytest.mark.parametrize(
    ("seen_by_server", "recorded_on", "ttls", "sort"),
    [
        (False, True, (62, 62), "reset by a device on the path, in the server's name"),
        (True, True, (62, 62), "reset by the server"),
        (False, False, (62, 62), "reset by the server or by a device on the path"),
        (False, False, (62, 63), "reset by a device on the path, in the server's name"),
        (False, False, (116, 63), "reset by a device on the path, in the server's name"),
        (False, False, (64, 64), "reset by the server"),
        (False, False, (64, 255), "reset by the server or by a device on the path"),
        (False, False, (0, 63), "reset by the server or by a device on the path"),
    ],
)
def test_a_rst_that_the_server_never_sent_came_from_the_path(
    *, seen_by_server: bool, recorded_on: bool, ttls: tuple[int, int], sort: str
) -> None:
    """The capture at the server shows whose RST it was, if it was still running; else the TTLs (of the SYN-ACK and of
    the RST at the client) show what may be known."""
    near, far = CaptureBuilder(places=("client",)), CaptureBuilder(places=("server",))
    for n in range(3):
        client, at_ns = f"10.0.0.1:{20_000 + n}", T0_NS + n * 10 * MS
        for capture, place in ((near, "client"), (far, "server")):
            capture.connect(at_ns, plain_path(client, SERVER, place), isn=n + 1)
        near.packet("client", at_ns + S, SERVER, client, tcp_flags=RST | ACK)
        if seen_by_server:
            far.packet("server", at_ns + S, SERVER, client, tcp_flags=RST | ACK)
    later = T0_NS + 5 * S
    near.connect(later, plain_path("10.0.0.1:30000", SERVER, "client"), isn=77)
    if recorded_on:
        far.connect(later, plain_path("10.0.0.1:30000", SERVER, "server"), isn=77)
    at_client, at_server = near.build(), replace(far.build(), name="server.pcap")
    is_reset = (at_client.handshakes["tcp_flags"] & RST) != 0
    at_client.handshakes["ttl"] = np.where(is_reset, ttls[1], ttls[0])
    at_server.handshakes["ttl"] = 64
    found = detect(gather_facts([at_client, at_server], []))
    assert [(getattr(case, "sort", ""), case.count) for case in found.cases] == [(sort, 3)]


def test_a_client_that_answers_data_after_a_forged_rst_did_not_reset() -> None:
    near, far = CaptureBuilder(places=("client",)), CaptureBuilder(places=("server",))
    for n in range(3):
        client, at_ns = f"10.0.0.1:{20_000 + n}", T0_NS + n * 10 * MS
        for capture, place in ((near, "client"), (far, "server")):
            capture.connect(at_ns, plain_path(client, SERVER, place), isn=n + 1)
        near.packet("client", at_ns + S, SERVER, client, tcp_flags=RST | ACK)
        for capture, place in ((near, "client"), (far, "server")):
            capture.packet(place, at_ns + 2 * S, client, SERVER, tcp_flags=RST)
    found = detect(gather_facts([near.build(), replace(far.build(), name="server.pcap")], []))
    words = "reset by a device on the path, in the server's name"
    assert [(getattr(case, "sort", ""), case.count) for case in found.cases] == [(words, 3)]


def test_an_impatient_client_is_harmless() -> None:
    (finding,) = detection(resets("client", 20)).findings
    assert (finding.count, finding.severity) == (20, "info")


def test_a_close_by_rst_after_a_fin_is_no_reset() -> None:
    assert detection(resets("server", 20), fins=2).status == "clear"


def test_a_scan_of_closed_ports_is_one_harmless_finding_a_host() -> None:
    capture = CaptureBuilder()
    for n in range(30):
        client, server = f"10.0.0.1:{20_000 + n}", f"192.0.2.10:{n + 1}"
        capture.syn(T0_NS + n * MS, plain_path(client, server, *PLACES), isn=n + 1)
        for place in PLACES:
            capture.packet(place, T0_NS + n * MS + MS, server, client, tcp_flags=RST | ACK)
    (finding,) = detection(capture).findings
    assert (finding.count, finding.severity) == (30, "info")


@pytest.mark.parametrize(("number", "severity"), [(1, "info"), (2, "warning")])
def test_a_packet_that_escaped_translation_and_was_reset_is_told(number: int, severity: str) -> None:
    capture = CaptureBuilder()
    for n in range(number):
        client, pod = f"10.0.0.1:{20_000 + n}", "10.0.1.9:8080"
        hops = [Hop("cni0", 0, client, "10.96.0.1:80"), Hop("eth0", 20_000, client, pod)]
        capture.connect(T0_NS + n * 10 * MS, hops, isn=n + 1)
        capture.packet("cni0", T0_NS + S + n, pod, client, tcp_flags=ACK, payload_bytes=100)
        capture.packet("cni0", T0_NS + S + n + 1_000, client, pod, tcp_flags=RST)
    found = [f for f in detection(capture).findings if "un-NATed" in f.title]
    assert [(f.count, f.severity) for f in found] == [(number, severity)]


@pytest.mark.parametrize(
    ("refused", "accepted", "severity"), [(3, 57, "warning"), (3, 58, "info"), (2, 5, "info"), (9, 0, "info")]
)
def test_a_service_that_refuses_some_and_accepts_others_is_notable(
    refused: int, accepted: int, severity: str
) -> None:
    capture = resets("", 0, among=accepted)
    for n in range(refused):
        client, at_ns = f"10.0.0.1:{40_000 + n}", T0_NS + n * 10 * MS
        capture.syn(at_ns, plain_path(client, SERVER, *PLACES), isn=5_000 + n)
        for place in PLACES:
            columns = {"tcp_flags": RST | ACK, "acknowledgement": 5_001 + n}
            capture.packet(place, at_ns + MS, SERVER, client, **columns)
    (finding,) = detect(gather_facts([capture.build()], [])).findings
    assert (finding.count, finding.severity) == (refused, severity)
    assert (f"accepted {accepted}" in finding.summary) == (accepted > 0)


@pytest.mark.parametrize(
    ("seen_by_server", "opened", "sort"),
    [
        (False, 3, "refused by a device on the path, in the server's name"),
        (True, 3, "refused"),
        (False, 2, "refused"),
    ],
)
def test_a_syn_that_never_reached_the_server_was_not_refused_by_it(
    *, seen_by_server: bool, opened: int, sort: str
) -> None:
    near, far = CaptureBuilder(places=("client",)), CaptureBuilder(places=("server",))
    for n in range(opened):
        for capture, place in ((near, "client"), (far, "server")):
            path = plain_path(f"10.0.0.1:{20_000 + n}", SERVER, place)
            capture.connect(T0_NS + 2 * n * S, path, isn=n + 1)
    for n in range(2):
        client, at_ns = f"10.0.0.1:{40_000 + n}", T0_NS + S + n * 10 * MS
        for capture, place in ((near, "client"), (far, "server")):
            if place == "client" or seen_by_server:
                capture.syn(at_ns, plain_path(client, SERVER, place), isn=5_000 + n)
                columns = {"tcp_flags": RST | ACK, "acknowledgement": 5_001 + n}
                capture.packet(place, at_ns + MS, SERVER, client, **columns)
    found = detect(gather_facts([near.build(), replace(far.build(), name="server.pcap")], []))
    assert [(getattr(case, "sort", ""), case.count) for case in found.cases] == [(sort, 2)]
