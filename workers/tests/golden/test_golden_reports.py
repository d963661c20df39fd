"""Reports on fixed evidence stay as they are: a change of the code that changes one is seen, and reviewed.

After a change on purpose: ``pytest workers/tests/golden -m "" --update-expected``, and read the difference.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from workers.tests.golden.condensed import condensed
from workers.tests.lab.evidence import Instance, report_on

ROOT = Path(__file__).parents[3]
EXPECTED = Path(__file__).parent / "expected"
DEMONSTRATIONS = sorted(path.parent for path in (ROOT / "backend/demo").glob("*/demo.json"))
QUICK = ("imds-burst", "rx-backlog", "snat-race")
LAB = (
    "dns-5s",
    "imds-burst-v2",
    "ipvs-graceful-kernel61-reuse0-nodest0",
    "more-cpu-quota",
    "more-idle-drop",
    "more-listen-overflow",
    "more-loss-both",
    "more-pmtu-hole",
    "rx-backlog-bloat",
    "snat-race-exhaust",
)
PUBLIC = (
    "arkime+arkime__http-syn-ack.pcap",
    "arkime+arkime__tcpdump-geneve.pcap",
    "brimdata+brimcap__ng-interfaces.pcapng",
    "corelight+pycommunityid__tcp_multi.pcap",
    "google+gopacket__test101.pcapng",
    "seladb+PcapPlusPlus__Sll2Packet.pcap",
    "the-tcpdump-group+tcpdump__various_gre.pcap",
    "zeek+zeek__pop3.pcap",
    "zeek+zeek__rdp-x509.pcap",
    "zeek+zeek__socks.pcap",
)


def check(name: str, files: Iterable[Path], update: bool, kept: Path) -> None:
    """Compare the report on the files with the golden one; the whole report is left in `kept` for a comparison."""
    report = report_on(files)
    assert report is not None
    whole: dict[str, Any] = json.loads(report.model_dump_json(by_alias=True))
    (kept / "report.json").write_text(json.dumps(whole, ensure_ascii=False, indent=1), encoding="utf-8")
    golden = EXPECTED / f"{name}.json"
    if update:
        golden.write_text(json.dumps(condensed(whole), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    assert condensed(whole) == json.loads(golden.read_text(encoding="utf-8"))


def demonstration_files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.name != "demo.json")


@pytest.mark.parametrize("name", QUICK)
def test_reports_on_demonstrations(name: str, update_expected: bool, tmp_path: Path) -> None:
    check(f"demo-{name}", demonstration_files(ROOT / "backend/demo" / name), update_expected, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("name", [each.name for each in DEMONSTRATIONS if each.name not in QUICK])
def test_reports_on_the_other_demonstrations(name: str, update_expected: bool, tmp_path: Path) -> None:
    check(f"demo-{name}", demonstration_files(ROOT / "backend/demo" / name), update_expected, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("name", LAB)
def test_reports_on_recorded_incidents(
    name: str, extra_captures: Path, update_expected: bool, tmp_path: Path
) -> None:
    instance = Instance(extra_captures / "lab" / name)
    check(f"lab-{name}", instance.files(instance.cases[0]), update_expected, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("name", PUBLIC)
def test_reports_on_published_captures(
    name: str, extra_captures: Path, update_expected: bool, tmp_path: Path
) -> None:
    check(f"public-{name}", [extra_captures / "public" / name], update_expected, tmp_path)


def test_a_change_of_wording_changes_no_digest() -> None:
    report = {"findings": [], "checked": [{"kind": "a", "why": "3 segments sent again"}], "created": "now"}
    reworded = {
        "findings": [],
        "checked": [{"kind": "a", "why": "3 TCP retransmissions"}],
        "created": "later",
    }
    recounted = {"findings": [], "checked": [{"kind": "a", "why": "4 segments sent again"}]}
    first, second, third = condensed(report), condensed(reworded), condensed(recounted)
    assert first["parts"] == second["parts"]
    assert first["words"] != second["words"]
    assert first["parts"] != third["parts"]
    assert third["words"] == ["4 segments sent again"]
