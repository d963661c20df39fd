"""Keys and tokens end at the decoder, however a capture is damaged and whatever the packets are wrapped in."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from backend.forensics.packets import SYN
from backend.limits import Limits
from workers.decode.frames.carve import CarvedFrom, carve
from workers.decode.frames.plain import plain_capture
from workers.decode.scrubbing import scrub_capture
from workers.decode.tests.capture_bytes import ipv4, pcap, tcp
from workers.decode.tests.conversation import Conversation, get, response
from workers.decode.tests.credential_attacks import ATTACKS
from workers.decode.tests.credential_captures import DAMAGES, SERVICES, captures, file_of, search
from workers.ingested import Ingested
from workers.pipeline import analyse, ingest_file


@dataclass(frozen=True)
class Decoded:
    """One capture, its tables and its cleared copy."""

    path: Path
    tables: Path
    ingested: Ingested
    plain: Path
    cleared: Path


def _decoded(folder: Path, name: str, content: bytes) -> Decoded:
    path = folder / f"{name}.capture"
    path.write_bytes(content)
    tables = folder / "tables" / name
    ingested = ingest_file(path, name=f"{name}.pcap", folder=tables)
    plain = plain_capture(path, folder / f"{name}.plain", Limits())
    cleared = folder / "cleared" / f"{name}.pcap"
    cleared.parent.mkdir(exist_ok=True)
    assert ingested.capture is not None
    scrub_capture(plain, ingested.capture, tables / "packets.parquet", cleared)
    return Decoded(path, tables, ingested, plain, cleared)


@pytest.fixture(scope="module")
def decoded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Decoded]:
    """All captures with credentials, by name."""
    folder = tmp_path_factory.mktemp("credentials")
    files = {name: file_of(packets, snap) for name, packets, snap in captures()}
    files |= {name: make() for name, make in ATTACKS.items()}
    assert len(files) == len(SERVICES) * len(DAMAGES) + len(ATTACKS)
    return {name: _decoded(folder, name, content) for name, content in files.items()}


@pytest.mark.promise(
    "Keys and tokens stay in the stored original alone, however a capture is damaged or wrapped."
)
def test_every_capture_is_marked(decoded: dict[str, Decoded]) -> None:
    assert [name for name, each in decoded.items() if not each.ingested.part.holds_credentials] == []


@pytest.mark.promise(
    "Keys and tokens stay in the stored original alone, however a capture is damaged or wrapped."
)
def test_nothing_is_left_in_cleared_copies(decoded: dict[str, Decoded]) -> None:
    originals = [name for name, each in decoded.items() if search().found_in(each.plain.read_bytes())]
    assert len(originals) > len(decoded) - 8  # of packed bodies that are cut no piece can be read
    assert [name for name, each in decoded.items() if search().found_in(each.cleared.read_bytes())] == []
    for each in decoded.values():
        assert each.cleared.stat().st_size == each.plain.stat().st_size


@pytest.mark.promise(
    "Keys and tokens stay in the stored original alone, however a capture is damaged or wrapped."
)
def test_nothing_is_left_in_carved_captures(decoded: dict[str, Decoded], tmp_path: Path) -> None:
    for name, each in decoded.items():
        target = tmp_path / "carved.pcapng"
        frames = range(1, each.ingested.part.packets + 2)
        carve([CarvedFrom(name, each.cleared, frames)], target, lambda _: None)
        assert not search().found_in(target.read_bytes()), name


def columns_of(path: Path) -> bytes:
    """What a Parquet file holds, unpacked."""
    table: pa.Table = pq.read_table(path)
    parts: list[bytes] = []
    for column in table.columns:
        is_number = pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
        texts = map(str, () if is_number else column.to_pylist())
        parts.append(column.to_numpy().tobytes() if is_number else "\n".join(texts).encode())
    return b"\n".join(parts)


@pytest.mark.promise(
    "Keys and tokens stay in the stored original alone, however a capture is damaged or wrapped."
)
def test_nothing_is_left_in_tables_and_report(decoded: dict[str, Decoded], tmp_path: Path) -> None:
    ingested = [each.ingested for each in decoded.values()]
    analyse(ingested, label="x", created="2026-01-01T00:00:00Z", tool_version="0", folder=tmp_path)
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    written += [path for each in decoded.values() for path in each.tables.rglob("*") if path.is_file()]
    assert len(written) > 10 * len(decoded)
    for path in written:
        content = path.read_bytes() + (columns_of(path) if path.suffix == ".parquet" else b"")
        assert not search().found_in(content), path


@pytest.mark.promise(
    "Keys and tokens stay in the stored original alone, however a capture is damaged or wrapped."
)
def test_a_connection_found_late_is_cleared_from_its_beginning(tmp_path: Path) -> None:
    talk = Conversation().ask(get("/a")).reply(response(b"a secret of the beginning"))
    talk.ask(get("/b", "Authorization: Bearer something"))
    each = _decoded(tmp_path, "late", pcap(talk.packets))
    assert b"a secret of the beginning" not in each.cleared.read_bytes()
    assert b"GET /a HTTP/1.1" in each.cleared.read_bytes()


def _harmless() -> dict[str, list[Any]]:
    dns = b"\x00\x35\x30\x39\x00\x28\x00\x00" + bytes(32)
    return {
        "web": Conversation().ask(get("/v1/ads?page=2")).reply(response(b'{"tokens": 5}')).packets,
        "dns of the provider": [(0, ipv4(dns, 17, "169.254.169.254", "10.0.0.1"))],
        "unanswered": [(0, tcp(SYN).replace(bytes((10, 0, 0, 2)), bytes((169, 254, 169, 254))))],
        "echo": [(0, ipv4(b"\x08\x00\x00\x00" + bytes(60), 1, "10.0.0.1", "169.254.169.254"))],
        "other": Conversation().ask(b"SET key value\r\n").reply(b"+OK\r\n").packets,
    }


@pytest.mark.parametrize("name", list(_harmless()))
def test_what_carries_none_is_not_marked_and_stays_as_it_is(tmp_path: Path, name: str) -> None:
    each = _decoded(tmp_path, "harmless", pcap(_harmless()[name]))
    assert not each.ingested.part.holds_credentials
    assert each.cleared.read_bytes() == each.path.read_bytes()
