"""What tcpdump prints of a capture, read back, prints the same once more."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from backend.forensics.captures import Capture
from workers.decode.captures import decode_capture
from workers.decode.printed.opening import holds_printed_packets, open_printed

SAMPLES = Path(__file__).parents[2] / "tests" / "samples"
NEEDS_TCPDUMP = pytest.mark.skipif(shutil.which("tcpdump") is None, reason="needs tcpdump")
_PLACE = re.compile(r"^((?:\d{4}-\S+ )?\S+ )(?:\S* *)?\b(?:In|Out|P|B|M) +", re.MULTILINE)
_CHECKSUMS = re.compile(
    r",? cksum 0x\w+ \([^)]*\)|,? bad cksum \w+ \(->\w+\)!|ifindex \d+ | \(wrong icmp cksum \w+ \(->\w+\)!\)"
)
_LINK_LENGTH = re.compile(r"(?<=\(0x0800\)), length \d+|ip: ")
"""Cooked headers of version 1 and 2 differ by four bytes."""
_HEXADECIMAL = re.compile(r"\n\t0x.*")


def printed(path: Path, *options: str) -> str:
    shown = subprocess.run(
        ["tcpdump", *options, "-r", str(path)], capture_output=True, text=True, check=True
    ).stdout
    return _LINK_LENGTH.sub("", _CHECKSUMS.sub("", _PLACE.sub(r"\1", shown)))


def rebuilt(text: str, folder: Path) -> list[Path]:
    source = folder / "printed.txt"
    source.write_text(text)
    assert holds_printed_packets(source)
    return [file.path for file in open_printed(source, folder / "out").captures]


@NEEDS_TCPDUMP
@pytest.mark.parametrize("options", [("-nn",), ("-nn", "-e"), ("-n", "-tttt"), ("-nn", "-tt")])
@pytest.mark.parametrize("sample", ["raw-ip.pcap", "vlan.pcap", "any.pcap"])
def test_a_rebuilt_capture_prints_as_the_original(
    sample: str, options: tuple[str, ...], tmp_path: Path
) -> None:
    shown = subprocess.run(
        ["tcpdump", *options, "-r", str(SAMPLES / sample)], capture_output=True, text=True, check=True
    ).stdout
    (again,) = rebuilt(shown, tmp_path)
    again = again.rename(tmp_path / "again.pcapng")
    assert printed(again, *options) == printed(SAMPLES / sample, *options)


@NEEDS_TCPDUMP
def test_bytes_in_hexadecimal_are_taken_whole(tmp_path: Path) -> None:
    (again,) = rebuilt(printed(SAMPLES / "raw-ip.pcap", "-nn", "-v", "-x"), tmp_path)
    again = again.rename(tmp_path / "again.pcapng")
    mine, theirs = (printed(path, "-nn", "-v", "-x") for path in (again, SAMPLES / "raw-ip.pcap"))
    assert _HEXADECIMAL.findall(mine) == _HEXADECIMAL.findall(theirs)


@NEEDS_TCPDUMP
def test_every_packet_is_one_frame_of_the_same_connections(tmp_path: Path) -> None:
    (again,) = rebuilt(printed(SAMPLES / "raw-ip.pcap", "-nn", "-tttt", "-v"), tmp_path)
    mine, theirs = (
        decode_capture(path, name="x", sha256="", packets_path=None)
        for path in (again, SAMPLES / "raw-ip.pcap")
    )
    assert mine.is_printed
    assert not theirs.is_printed
    assert mine.packets == theirs.packets
    assert mine.first_ns == theirs.first_ns
    assert len(mine.connections) == len(theirs.connections)
    for name in ("sequence", "acknowledgement", "tcp_flags", "window_scale", "timestamp_value"):
        assert mine.handshakes[name].tolist() == theirs.handshakes[name].tolist(), name
    assert any("rebuilt from printed text" in warning for warning in mine.warnings)


SYN = "12:00:0{}.000001 IP 10.0.0.1.40000 > 10.0.0.2.80: Flags [S], seq 1000000, win 64240, length 0"


def decoded(text: str, folder: Path) -> list[Capture]:
    return [
        decode_capture(path, name="x", sha256="", packets_path=folder / f"{n}.parquet")
        for n, path in enumerate(rebuilt(text, folder))
    ]


def test_text_without_times_measures_nothing(tmp_path: Path) -> None:
    (capture,) = decoded("\n".join(SYN.format(n).partition(" ")[2] for n in range(3)), tmp_path)
    assert capture.packets == 3
    assert capture.times.untimed == 3
    assert not capture.times.measured


def test_differences_between_packets_add_up(tmp_path: Path) -> None:
    rest = SYN.format(0).partition(" ")[2]
    (capture,) = decoded(
        f" 00:00:00.000000 {rest}\n 00:00:01.000000 {rest}\n 00:00:00.500000 {rest}\n", tmp_path
    )
    assert capture.last_ns - capture.first_ns == 1_500_000_000


def test_times_since_the_first_packet_do_not_add_up(tmp_path: Path) -> None:
    rest = SYN.format(0).partition(" ")[2]
    text = "".join(f" 00:00:0{n}.000000 {rest}\n" for n in (0, 1, 3))
    (capture,) = decoded(text, tmp_path)
    assert capture.last_ns - capture.first_ns == 3_000_000_000


def test_two_runs_of_the_program_are_two_captures(tmp_path: Path) -> None:
    text = (
        "root@a:~# tcpdump -ni eth0\nlistening on eth0, link-type EN10MB (Ethernet)\n"
        f"{SYN.format(1)}\n1 packets captured\n7 packets dropped by kernel\n"
        f"root@b:~# tcpdump -ni cni0\n{SYN.format(0)}\n"
    )
    first, second = decoded(text, tmp_path)
    assert [point.name for c in (first, second) for point in c.vantage_points] == ["eth0", "cni0"]
    assert first.vantage_points[0].dropped_by_capture == 7
    assert second.vantage_points[0].dropped_by_capture is None


def test_names_stand_for_addresses(tmp_path: Path) -> None:
    line = "12:00:01.5 IP ip-10-0-1-2.ec2.internal.http > web.example.org.40000: Flags [R.], seq 0, win 0, length 0"
    (capture,) = decoded(line, tmp_path)
    row = capture.connections[0]
    addresses = {int(row[f"{side}_low"]) & 0xFFFFFFFF for side in ("client", "server")}
    assert addresses == {0x0A000102, 0xF0000001}
    # Names with their addresses, and not words of a sentence: those would pass a link that hides names.
    assert {(each.address, each.name) for each in capture.address_names} == {
        ("10.0.1.2", "ip-10-0-1-2.ec2.internal"),
        ("240.0.0.1", "web.example.org"),
    }
    assert not any("example" in warning for warning in capture.warnings)
