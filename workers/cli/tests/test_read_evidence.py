"""`analyze` on bundles and folders, and on several captures decoded side by side."""

from __future__ import annotations

import json
import shutil
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from workers.cli import read_evidence
from workers.cli.main import main

DEMO = Path(__file__).parents[3] / "backend" / "demo" / "snat-race"


def report_of(capsys: pytest.CaptureFixture[str], *given: object) -> dict[str, Any]:
    assert main(["analyze", *map(str, given), "--json", "-", "--label", "x"]) == 0
    report: dict[str, Any] = json.loads(capsys.readouterr().out) | {"created": "", "timings": []}
    return report


@pytest.fixture
def tarball(tmp_path: Path) -> Path:
    path = tmp_path / "node.tgz"
    with tarfile.open(path, "w:gz") as archive:
        for file in sorted(DEMO.iterdir()):
            archive.add(file, file.name)
    return path


def test_a_bundle_is_the_files_in_it(
    tarball: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "folder"
    shutil.copytree(DEMO, folder)
    from_folder, from_bundle = report_of(capsys, folder), report_of(capsys, tarball)
    assert {each.pop("bundle") for each in from_bundle["inputs"]} == {"node.tgz"}
    assert {each.pop("bundle") for each in from_folder["inputs"]} == {None}
    assert [each["name"] for each in from_bundle["not_used"]] == ["demo.json"]
    assert from_bundle["not_used_total"] == 1
    for report in (from_folder, from_bundle):
        report["not_used"] = []
    assert from_bundle == from_folder
    assert from_bundle["diagnoses"][0]["cause"] == "snat-port-race"


def test_what_is_not_used_is_said(tarball: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["analyze", str(tarball)]) == 0
    said = capsys.readouterr().err
    assert "node.tgz: 1 files in it are not used (1 × a text that is no known dump …)." in said


def test_what_else_lies_in_a_folder_is_said_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "node-7"
    shutil.copytree(DEMO, folder)
    (folder / "photo.jpg").write_bytes(b"\xff\xd8\xff" + bytes(100))
    assert main(["analyze", str(folder)]) == 0
    said = capsys.readouterr().err.splitlines()
    assert "stallscope: node-7: not used, neither captures nor known dumps: demo.json, photo.jpg." in said
    # Who names a file means it.
    main(["analyze", str(folder / "any.pcap"), str(folder / "demo.json"), str(folder / "ip-link.txt")])
    assert "No line of this text is of a format that is read" in capsys.readouterr().out


def test_two_bundles_with_the_same_names(
    tarball: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other.zip"
    with zipfile.ZipFile(other, "w") as archive:
        archive.write(DEMO / "ip-link.txt", "ip-link.txt")
    names = [each["name"] for each in report_of(capsys, tarball, other)["inputs"]]
    assert {"node.tgz/ip-link.txt", "other.zip/ip-link.txt"} <= set(names)
    assert len(names) == len(set(names))


def test_one_bundle_is_one_host(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "node"
    folder.mkdir()
    (folder / "uname.txt").write_text("Linux worker-7 6.1.0-18-amd64 #1 SMP x86_64 GNU/Linux\n")
    shutil.copy(DEMO / "ip-link.txt", folder)
    inputs = report_of(capsys, folder, DEMO / "iptables-save.txt")["inputs"]
    assert {each["name"]: each["host"] for each in inputs} == {
        "uname.txt": "worker-7", "ip-link.txt": "worker-7", "iptables-save.txt": None,
    }  # fmt: skip
    (folder / "uname-2.txt").write_text("Linux worker-8 6.1.0-18-amd64 #1 SMP x86_64 GNU/Linux\n")
    inputs = report_of(capsys, folder)["inputs"]
    assert {each["name"]: each["host"] for each in inputs}["ip-link.txt"] is None


def test_counters_of_two_bundles_are_not_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bundles = []
    for name in ("before", "after"):
        bundles.append(tmp_path / f"{name}.zip")
        with zipfile.ZipFile(bundles[-1], "w") as archive:
            archive.write(DEMO / f"conntrack-S-{name}.txt", f"{name}.txt")
    capture = DEMO / "three-interfaces.pcapng"
    apart = json.dumps(report_of(capsys, capture, *bundles))
    loose = json.dumps(report_of(capsys, capture, *DEMO.glob("conntrack-S-*.txt")))
    assert "insert_failed" in loose
    assert "conntrack -S of 2 of 2 hosts was not compared" in apart
    assert "was not compared" not in loose


def test_a_bundle_of_nothing_is_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("notes.txt", "hello")
    assert main(["analyze", str(path)]) == 2
    assert "an archive without a capture or a known dump: 1 file in it" in capsys.readouterr().err


def test_side_by_side_gives_the_same_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    sample = Path(read_evidence.__file__).parents[1] / "decode" / "tests" / "samples"
    given = [sample / name for name in ("any.pcap", "plain.pcapng", "cut-in-packet.pcap")]
    given += [DEMO / "ip-link.txt", tmp_path / "photo.jpg", tmp_path / "gone.pcap"]
    (tmp_path / "photo.jpg").write_bytes(b"\xff\xd8\xff" + bytes(100))
    alone = report_of(capsys, *given)
    monkeypatch.setattr(read_evidence, "SIDE_BY_SIDE_BYTES", 1)
    monkeypatch.setattr(read_evidence, "_cores", lambda: 2)
    assert json.dumps(report_of(capsys, *given)) == json.dumps(alone)
    assert json.dumps(report_of(capsys, *reversed(given))) == json.dumps(alone)
    assert alone["not_used_total"] == 2


def test_a_child_over_its_limit_costs_that_file_alone(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read_evidence, "SIDE_BY_SIDE_BYTES", 1)
    monkeypatch.setattr(read_evidence, "_cores", lambda: 2)
    monkeypatch.setenv("STALLSCOPE_CHILD_MEMORY_BYTES", str(200 << 20))
    sample = Path(read_evidence.__file__).parents[1] / "decode" / "tests" / "samples"
    given = [str(sample / "any.pcap"), str(sample / "plain.pcapng")]
    assert main(["analyze", *given]) == 2
    assert capsys.readouterr().err.count("the limit child_memory_bytes") == 2
