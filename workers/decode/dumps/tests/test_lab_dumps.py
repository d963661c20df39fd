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


KINDS = {
    "conntrack-L": {"conntrack-list"},
    "conntrack-E": {"conntrack-events"},
    "conntrack-S": {"conntrack-stats"},
    "conntrack-C": {"number"},
    "conntrack-L-during.xml": {"conntrack-list"},
    "proc-nf_conntrack": {"conntrack-list"},
    "proc-stat-nf_conntrack": {"conntrack-stats"},
    "ipvsadm-L": {"ipvs-services"},
    "ipvsadm-S": {"ipvs-services"},
    "ipvsadm-Lc": {"ipvs-connections"},
    "ipvsadm-Lnc": {"ipvs-connections"},
    "ipvsadm-L-timeout": {"ipvs-timeouts"},
    "ipvsadm-L--timeout": {"ipvs-timeouts"},
    "proc-ip_vs": {"ipvs-services"},
    "proc-ip_vs_conn": {"ipvs-connections"},
    "proc-ip_vs_stats": {"ipvs-stats"},
    "sysctl_": {"sysctl"},
    "client_sysctl_": {"sysctl"},
    "client-ss-s": {"ss-summary"},
    "ip-addr": {"ip-addr"},
    "ip-link": {"ip-link"},
    "iptables-save": {"iptables-save"},
    "ruleset.nft": {"nft-ruleset"},
    "nft-lab-after": {"nft-ruleset"},
    "uname-": {"uname"},
    "dmesg": {"kernel-log"},
    "ab.txt": {"load-report"},
}
"""How the names of the lab's files begin -> what the files hold. The parsers never see the names."""
HOLD_NO_DUMP = ("ipvsadm-L--daemon", "ipvsadm-help", "ipvsadm-version", "conntrack-version", "proc-ip_vs_app")


def test_every_file_of_the_lab_is_what_it_is(extra_captures: Path) -> None:
    seen = set()
    for path in sorted((extra_captures / "lab").glob("**/*.*")):
        begins = max((name for name in KINDS if path.name.startswith(name)), key=len, default=None)
        if (
            begins is None
            or path.suffix not in (".txt", ".nft", ".xml")
            or path.name.startswith(HOLD_NO_DUMP)
        ):
            continue
        dumps = parse_dump_bytes(path.read_bytes())
        if path.read_bytes().strip():
            assert {dump.kind for dump in dumps} == KINDS[begins], path
        assert not any(dump.lines_not_understood for dump in dumps), path
        seen.add(begins)
    assert seen == set(KINDS)
