"""The four targets: each reads any bytes, says what came out of them, and must never fail.

What comes out is a digest of every table, so that the compiled loop and the plain one can be compared. Without
`stored` the packet table is not written, which is the slowest part.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import pyarrow.parquet as pq

from backend.forensics.captures import Capture
from backend.forensics.messages import DTYPES, TEXTS
from backend.limits import Limits
from workers.decode.bundles import expand_bundle
from workers.decode.captures import NotACapture, decode_capture
from workers.decode.dumps.splitting import parse_dump_bytes, recognise_dump
from workers.decode.identify import identify_file
from workers.decode.objects.reader import CONTAINERS, KUBERNETES
from workers.decode.tests.fuzz.inputs import conversation_capture, packet_capture

SMALL: Final = Limits(
    unpacked_ratio=200, unpacked_bytes=4 << 20, bundle_members=20, bundle_depth=2, child_memory_bytes=2 << 30
)
"""Limits low enough that a fuzzer meets them."""
_MEMORY: Final = Path("/dev/shm")


def containers(data: bytes, stored: bool = True) -> str:
    """A file of any kind: capture, packed capture, bundle or text."""
    with _folder() as folder:
        return _decode_file(_written(folder, data), Path(folder), stored)


def packets(data: bytes, stored: bool = True) -> str:
    """Packets of one link type."""
    return containers(packet_capture(data), stored)


def messages(data: bytes, stored: bool = True) -> str:
    """One conversation of HTTP, DNS or TLS."""
    return containers(conversation_capture(data), stored)


def dumps(data: bytes, stored: bool = True) -> str:
    """A text: each line belongs to exactly one dump, in the text's order but for JSON objects, which come first."""
    recognise_dump(data[:4096])
    found = parse_dump_bytes(data)
    digest = hashlib.sha256(repr(found).encode("utf-8", "surrogatepass"))
    objects = [dump for dump in found if dump.kind in (KUBERNETES, CONTAINERS)]
    before = 0
    for dump in found:
        unknown = dump.lines_not_understood
        assert objects or all(before < line <= before + dump.lines for line in unknown), (
            f"{dump.kind}: a line of another"
        )
        before += dump.lines
        digest.update(dump.entries.rows.tobytes() + dump.ipvs_connections.rows.tobytes())
    assert before <= data.count(b"\n") + 1, "a line of two"
    all_unknown = [line for dump in found for line in dump.lines_not_understood]
    assert len(set(all_unknown)) == len(all_unknown), "a line of two"
    return f"{digest.hexdigest()} {before} lines"


TARGETS: Final[Mapping[str, Callable[[bytes, bool], str]]] = {
    "containers": containers,
    "packets": packets,
    "messages": messages,
    "dumps": dumps,
}


def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="stallscope-fuzz-", dir=_MEMORY if _MEMORY.is_dir() else None)


def _written(folder: str, data: bytes) -> Path:
    path = Path(folder, "input")
    path.write_bytes(data)
    return path


def _decode_file(path: Path, folder: Path, stored: bool) -> str:
    identified = identify_file(path)
    if identified.kind == "bundle":
        inside = folder / "members"
        inside.mkdir()
        expansion = expand_bundle(path, inside, SMALL)
        kept = sum(member.path.stat().st_size for member in expansion.members)
        assert kept <= SMALL.unpacked_bytes, "a bundle left more than its limit"
        assert all(inside in member.path.parents for member in expansion.members), "a member got out"
        captures = [member.path for member in expansion.members if member.kind == "capture"]
        return " ".join(["bundle", *(_decode_capture(capture, folder, stored) for capture in captures)])
    if identified.kind == "text":
        return dumps(path.read_bytes())
    return _decode_capture(path, folder, stored)


def _decode_capture(path: Path, folder: Path, stored: bool) -> str:
    tables = Path(tempfile.mkdtemp(dir=folder)) if stored else None
    table = tables / "packets.parquet" if tables else None
    try:
        capture = decode_capture(
            path, name="fuzzed", sha256=None, packets_path=table, messages_folder=tables, limits=SMALL
        )
    except NotACapture as error:
        return f"no capture: {error}"
    return _digest(capture, table)


def _digest(capture: Capture, packet_table: Path | None) -> str:
    digest = hashlib.sha256()
    if packet_table:
        rows = pq.read_table(packet_table)
        assert rows.num_rows == capture.packets, "the packet table and the count differ"
        for column in rows.columns:
            digest.update(column.to_numpy().tobytes())
    for part in (capture.connections, capture.handshakes, capture.buckets):
        digest.update(part.tobytes())
    for name in DTYPES:
        table = capture.messages.table(name)
        columns = [*(DTYPES[name].names or ()), *TEXTS[name]]
        digest.update(repr(table.read(columns).to_pydict()).encode())
    said = (capture.undecoded, capture.tunnels, capture.warnings, capture.error, capture.vantage_points)
    digest.update(repr(said).encode("utf-8", "surrogatepass"))
    return f"{digest.hexdigest()} {capture.packets} packets"
