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
