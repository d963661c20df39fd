"""The listings of the lab, whole: too large to be kept here."""

import json
from pathlib import Path

import pytest

from workers.decode.dumps import parse_dump_bytes, parse_dumps


@pytest.mark.parametrize(
    "scenario", ["snat-race", "snat-race-healthy", "snat-race-exhaust", "snat-race-portreuse"]
)
def test_every_line_of_the_labs_listings_is_understood(extra_captures: Path, scenario: str) -> None:
    folder = extra_captures / "lab" / scenario
    for path in [*folder.glob("*.txt"), *folder.glob("*.nft")]:
        dumps = parse_dump_bytes(path.read_bytes())
        assert len(dumps) == 1, path.name
        assert dumps[0].lines_not_understood == (), path.name


def test_the_counters_rose_by_the_collisions_the_lab_counted(extra_captures: Path) -> None:
    folder = extra_captures / "lab" / "snat-race"
    expected = json.loads((folder / "expect.json").read_text())["cases"][0]["measures"]["tuple-collision"]
    before, after = (
        sum(row.counters["insert_failed"] for row in parse_dumps((folder / name).read_text())[0].counters)
        for name in ("conntrack-S-before.txt", "conntrack-S-after.txt")
    )
    low, high = expected["insert_failed_delta"]
    assert low <= after - before <= high


def test_windows_line_ends_lose_no_entry(extra_captures: Path) -> None:
    content = (extra_captures / "lab" / "formats" / "conntrack-L-crlf.txt").read_bytes()
    (dump,) = parse_dump_bytes(content)
    assert len(dump.entries) == content.count(b"\r\n")
