"""The generated captures are whole TCP connections."""

from pathlib import Path

from workers.decode.bench.generate import generate
from workers.decode.captures import decode_capture


def test_a_generated_capture_decodes_cleanly(tmp_path: Path) -> None:
    path = tmp_path / "generated.pcap"
    generate(path, 3900)
    capture = decode_capture(path, name="generated.pcap", sha256="", packets_path=None)
    assert (capture.packets, len(capture.connections), capture.undecoded) == (3900, 100, {})
    assert (capture.connections["fins"] == 3).all()
    assert not capture.connections["data_retransmissions"].any()
    assert not capture.connections["lost_segments"].any()


def test_generated_lookups_are_answered_lookups(tmp_path: Path) -> None:
    path = tmp_path / "generated.pcap"
    generate(path, 200, "dns")
    capture = decode_capture(path, name="generated.pcap", sha256="", packets_path=None)
    assert (capture.packets, capture.messages.dns.rows, capture.undecoded) == (200, 200, {})
    names = capture.messages.dns.read(("name",)).column("name").to_pylist()
    assert names[0] == "svc-0000.default.svc.cluster.local"
    assert len(set(names)) == 100


def test_generated_exchanges_are_read_as_such(tmp_path: Path) -> None:
    path = tmp_path / "generated.pcap"
    generate(path, 260, "http")
    capture = decode_capture(path, name="generated.pcap", sha256="", packets_path=None)
    assert (capture.packets, len(capture.connections), capture.messages.http.rows) == (260, 10, 100)


def test_connections_that_stay_open(tmp_path: Path) -> None:
    path = tmp_path / "open.pcap"
    generate(path, 800, "open")
    capture = decode_capture(path, name="open.pcap", sha256="", packets_path=None)
    assert (capture.packets, len(capture.connections), capture.undecoded) == (800, 100, {})
    assert not capture.connections["fins"].any()
    assert (capture.connections["last_ns"] - capture.connections["first_ns"] > 10_000_000_000).all()
    assert not capture.connections["data_retransmissions"].any()


def test_a_mixture_has_something_of_everything(tmp_path: Path) -> None:
    path = tmp_path / "mixed.pcap"
    generate(path, 5000, "mixed")
    capture = decode_capture(path, name="mixed.pcap", sha256="", packets_path=None)
    assert (capture.packets, capture.undecoded) == (5000, {})
    assert capture.messages.dns.rows
    assert capture.messages.http.rows
    assert (capture.connections["server_packets"] == 0).any()
