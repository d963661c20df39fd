"""Stallscope finds in anonymised evidence what it finds in the originals, and no original address or name is in it."""

import ipaddress
import os
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

import backend.demo
from workers.decode.anonymise.listing_text import line_text
from workers.decode.anonymise.tests.anonymised import (
    PSEUDONYMS,
    judged,
    report_on,
    tshark_fields,
    unpacked_bundle,
)

DEMOS = Path(next(iter(backend.demo.__path__)))
EXTRA = os.environ.get("STALLSCOPE_EXTRA_CAPTURES")
LABS = ("dns-5s", "imds-burst-v2", "imds-burst-ecs", "rx-backlog-multiqueue", "healthy-scan")


def evidence(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.suffix != ".json")


def addresses_of(packets: Path) -> set[bytes]:
    """Of all packets, as far as they change."""
    names = ("source_high", "source_low", "destination_high", "destination_low")
    columns = {name: pq.read_table(packets, columns=[name]).column(0).to_numpy() for name in names}
    found = set()
    for end in ("source", "destination"):
        pairs = np.unique(np.stack([columns[f"{end}_high"], columns[f"{end}_low"]]), axis=1)
        for high, low in pairs.T.tolist():
            if high == 0 and low >> 32 == 0xFFFF:
                found.add((low & 0xFFFFFFFF).to_bytes(4, "big"))
            elif high or low:
                found.add((high << 64 | low).to_bytes(16, "big"))
    return {each for each in found if PSEUDONYMS.addresses.packed(each) != each}


def compare(folder: Path, scratch: Path) -> list[Path]:
    """Asserts that both give the same; the anonymised files."""
    originals = evidence(folder)
    made = unpacked_bundle(originals, scratch)
    assert judged(report_on(made)) == judged(report_on(originals))
    packed: set[bytes] = set()
    for tables in scratch.glob("tables-*/packets.parquet"):
        packed |= addresses_of(tables)
    # A mapped address may be another original one: then it is there, and tells nothing.
    packed -= {PSEUDONYMS.addresses.packed(each) for each in packed}
    for path in made:
        data = path.read_bytes()
        assert not [each for each in packed if each in data and len(each) == 16]
        texts = [str(ipaddress.ip_address(each)).encode() for each in packed]
        words = set(data.replace(b"=", b" ").replace(b":", b" ").replace(b"/", b" ").split())
        assert not [text for text in texts if text in words]
    return made


@pytest.mark.parametrize("name", ["snat-race", "imds-burst", "rx-backlog"])
def test_demonstrations_give_the_same_findings(name: str, tmp_path: Path) -> None:
    made = compare(DEMOS / name, tmp_path)
    report = report_on(made)
    assert report.findings


@pytest.mark.skipif(
    not EXTRA, reason="STALLSCOPE_EXTRA_CAPTURES names no folder of captures that are not committed"
)
@pytest.mark.parametrize("name", LABS)
def test_incidents_give_the_same_findings(name: str, tmp_path: Path) -> None:
    folder = Path(EXTRA or "") / "lab" / name
    compare(folder, tmp_path)


@pytest.mark.skipif(not Path("/usr/bin/tshark").exists(), reason="tshark is not installed")
def test_wireshark_reads_it_and_complains_no_more_than_of_the_original(tmp_path: Path) -> None:
    paths = [DEMOS / "imds-burst" / "app-eth0.pcap.gz", DEMOS / "rx-backlog" / "sender.pcap.gz"]
    asked = (
        "ip.checksum.status",
        "tcp.checksum.status",
        "icmp.checksum.status",
        "_ws.malformed",
        "frame.len",
    )
    for path, made in zip(paths, unpacked_bundle(paths, tmp_path), strict=True):
        assert tshark_fields(made, *asked) == tshark_fields(path, *asked)


def test_a_listing_keeps_numbers_and_words_of_kernels_and_loses_names() -> None:
    line = "tcp 6 113 TIME_WAIT src=10.58.14.13 dst=203.0.113.9 sport=402 dport=80 packets=5 bytes=390 [ASSURED] mark=0"
    shown = line_text(line, PSEUDONYMS)
    assert shown == line.replace("10.58.14.13", PSEUDONYMS.address_text("10.58.14.13")).replace(
        "203.0.113.9", PSEUDONYMS.address_text("203.0.113.9")
    )


def test_an_address_that_two_writers_of_a_file_tore_apart_is_not_told() -> None:
    for line in (
        "tcp 6 83 TIME_WAIT src=10.58conntrack v1.4.7 (conntrack-tools): 9 flow entries",
        "58.14.13 dst=10.5",
    ):
        assert "63" not in line_text(line, PSEUDONYMS)
    assert "conntrack v1.4.7 (conntrack-tools)" in line_text(
        "src=10.5conntrack v1.4.7 (conntrack-tools)", PSEUDONYMS
    )
