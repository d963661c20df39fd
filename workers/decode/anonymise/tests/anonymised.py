"""A capture made, decoded and anonymised, and what tshark and Stallscope say of both."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tarfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from backend.forensics.report import Report
from backend.limits import Limits
from workers.decode.anonymise.bundle import Original, write_bundle
from workers.decode.anonymise.capture import anonymise_capture
from workers.decode.anonymise.pseudonyms import Pseudonyms
from workers.decode.frames.plain import plain_capture
from workers.ingested import Ingested
from workers.pipeline import analyse, ingest_file

PSEUDONYMS = Pseudonyms(b"one key for all tests, 32 bytes.")


def anonymised(path: Path, folder: Path, pseudonyms: Pseudonyms = PSEUDONYMS) -> Path:
    """The capture at `path`, anonymised in `folder`."""
    tables = folder / "tables"
    ingest_file(path, name=path.name, folder=tables)
    plain = plain_capture(path, folder / "plain.capture", Limits())
    target = folder / "anonymised.pcapng"
    anonymise_capture(plain, tables, target, pseudonyms, lambda _: None)
    return target


def unpacked_bundle(paths: Sequence[Path], folder: Path) -> list[Path]:
    """All of them in one bundle, out of which they are taken again; in the order of `paths`."""
    originals = [_original(path, folder / f"tables-{number}") for number, path in enumerate(paths)]
    bundle = folder / "anonymised.tar.gz"
    write_bundle(originals, bundle, PSEUDONYMS, folder, Limits(), lambda _: None)
    with tarfile.open(bundle) as archive:
        archive.extractall(folder / "bundle", filter="data")
        return [folder / "bundle" / name for name in archive.getnames()]


def _original(path: Path, tables: Path) -> Original:
    ingested = ingest_file(path, name=path.name, folder=tables)
    if ingested.capture is None:
        return Original("dump", lambda: path, tables)
    plain = partial(plain_capture, path, tables / "plain.capture", Limits())
    return Original("capture", plain, tables)


def report_on(paths: Sequence[Path]) -> Report:
    """What Stallscope finds in the files, which are of one host."""
    files: list[Ingested] = [
        ingest_file(path, name=path.name, folder=None).came_in("a folder", bundle=None) for path in paths
    ]
    return analyse(files, label="test", created="2026-01-01T00:00:00Z", tool_version="0", folder=None)


def judged(report: Report) -> dict[str, Any]:
    """What must be the same: kinds, counts, measures, times, causes and verdicts, but for addresses and names."""
    return {
        "findings": sorted(
            json.dumps(
                [f.kind, f.severity, f.count, f.confidence, f.time_lost_s, f.first, f.last, _bare(f.measures),
                 sorted(json.dumps(_bare(each)) for each in f.events)]
            )
            for f in report.findings
        ),
        "diagnoses": sorted((d.cause, d.verdict, d.confidence, d.time_lost_s) for d in report.diagnoses),
        "checked": sorted((each.kind, each.status) for each in report.checked),
        "inputs": sorted(
            (part.kind, part.packets or 0, part.lines or 0, part.lines_not_understood or 0, part.first or "")
            for part in report.inputs
        ),
    }  # fmt: skip


def _bare(value: Any) -> Any:
    """Texts without what may be an address or a name: only where there is one."""
    if isinstance(value, dict):
        return {key: _bare(each) for key, each in value.items() if key not in ("path", "input", "evidence")}
    if isinstance(value, list):
        return sorted((_bare(each) for each in value), key=str)
    if not isinstance(value, str):
        return value
    return (
        value
        if re.fullmatch(r"[a-z]+(?:-[a-z]+)*|\d{4}-\d\d-\d\dT[\d:.]+Z", value) and "." not in value
        else "…"
    )


def tshark_fields(path: Path, *fields: str, display_filter: str = "") -> list[str]:
    """A line a packet; checksums are looked at. The calling test is skipped where tshark is not installed."""
    asked = [part for name in fields for part in ("-e", name)]
    checks = [f"-o{name}.check_checksum:TRUE" for name in ("ip", "tcp", "udp")]
    wanted = ["-Y", display_filter] if display_filter else []
    command = [str(shutil.which("tshark")), "-n", "-r", str(path), *checks, *wanted, "-T", "fields", *asked]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()
