"""One decoded or parsed evidence file, and the folder that keeps it between decoding and the analysis."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pydantic import TypeAdapter

from backend.forensics.captures import Capture, CredentialSigns, RecordedTimes, VantagePoint
from backend.forensics.connections import BUCKET_DTYPE, CONNECTION_DTYPE
from backend.forensics.dumps import (
    AddressName,
    ConntrackTable,
    Dump,
    IpvsConnectionTable,
    PrintedTable,
    ProbeTable,
)
from backend.forensics.packets import PACKET_DTYPE
from backend.forensics.report import InputPart
from backend.forensics.signals import SIGNAL_DTYPE
from backend.forensics.tunnels import LAYER_DTYPE, layer_rows, tunnels_of_rows
from backend.storage import write_tables
from workers.decode.credentials import find_credentials
from workers.decode.messages.reader import load_messages
from workers.decode.round_trips.reader import load_round_trips
from workers.table_layout import write_layout

_CREDENTIALS = "credentials.parquet"
BATCH_ROWS = 1 << 16

DUMP_TABLES: dict[
    str, type[ConntrackTable] | type[IpvsConnectionTable] | type[ProbeTable] | type[PrintedTable]
] = {
    "entries": ConntrackTable,
    "ipvs_connections": IpvsConnectionTable,
    "probes": ProbeTable,
    "printed": PrintedTable,
}
"""Fields of a dump that are kept as columns, not in JSON."""


# Made where one is needed: a command that starts no children reads and writes neither.
@cache
def _dumps() -> TypeAdapter[list[Dump]]:
    return TypeAdapter(list[Dump])


@cache
def _names() -> TypeAdapter[list[AddressName]]:
    return TypeAdapter(list[AddressName])


@cache
def _points() -> TypeAdapter[list[VantagePoint]]:
    return TypeAdapter(list[VantagePoint])


@dataclass(frozen=True)
class Ingested:
    """One evidence file, decoded or parsed: its line in the report, and a capture or dumps."""

    part: InputPart
    capture: Capture | None
    dumps: tuple[Dump, ...]
    origin: str = ""
    """The folder or bundle it came in: files of one origin are of one host unless they say otherwise."""

    def came_in(self, origin: str, *, bundle: str | None) -> Ingested:
        """The same, with where it came from."""
        return replace(self, origin=origin, part=self.part.model_copy(update={"bundle": bundle}))


def _from_parquet(path: Path, dtype: np.dtype[np.void]) -> NDArray[np.void]:
    """A column that an earlier version did not write is 0."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        rows = np.zeros(file.metadata.num_rows, dtype)
        begin = 0
        for batch in file.iter_batches(BATCH_ROWS):
            for name in set(dtype.names or ()).intersection(batch.schema.names):
                rows[name][begin : begin + batch.num_rows] = batch.column(name).to_numpy()
            begin += batch.num_rows
    return rows


def save_ingested(result: Ingested, folder: Path) -> None:
    """Keep it, so that a folder with `input.json` is complete."""
    about: dict[str, object] = {"part": result.part.model_dump(mode="json")}
    about["dumps"] = _dumps().dump_python(list(result.dumps), mode="json")
    for number, dump in enumerate(result.dumps):
        for name in DUMP_TABLES:
            rows = getattr(dump, name).rows
            if len(rows):
                write_tables.write_rows(rows, folder / f"{name}-{number}.parquet")
    capture = result.capture
    if capture is not None:
        write_tables.write_rows(capture.connections, folder / "connections.parquet")
        write_tables.write_rows(capture.handshakes, folder / "handshakes.parquet")
        write_tables.write_rows(capture.signals, folder / "signals.parquet")
        write_tables.write_buckets(capture.buckets, folder)
        write_tables.write_rows(layer_rows(capture.tunnels), folder / "tunnels.parquet")
        about["first_ns"], about["last_ns"] = capture.first_ns, capture.last_ns
        about["vantage_points"] = _points().dump_python(list(capture.vantage_points), mode="json")
        about["times"] = asdict(capture.times)
        about["undecoded"] = capture.undecoded
        about["warnings"] = list(capture.warnings)
        about["address_names"] = _names().dump_python(list(capture.address_names), mode="json")
        about["loose_credential_frames"] = capture.credentials.loose_frames
        _write_credentials(capture.credentials, folder)
    write_layout(folder)
    # Written last and renamed: a folder with input.json is complete.
    unfinished = folder / "input.json.part"
    unfinished.write_text(json.dumps(about), encoding="utf-8")
    unfinished.rename(folder / "input.json")


def load_ingested(folder: Path) -> Ingested:
    """What `ingest_file` kept in `folder`."""
    about = json.loads((folder / "input.json").read_text(encoding="utf-8"))
    part = InputPart.model_validate(about["part"])
    if part.kind == "dump":
        dumps = [
            _with_tables(dump, n, folder) for n, dump in enumerate(_dumps().validate_python(about["dumps"]))
        ]
        return Ingested(part, None, tuple(dumps))
    capture = Capture(
        name=part.name,
        sha256=part.sha256,
        format=part.format,
        bytes=part.bytes,
        packets=part.packets,
        first_ns=about["first_ns"],
        last_ns=about["last_ns"],
        vantage_points=tuple(_points().validate_python(about["vantage_points"])),
        connections=_from_parquet(folder / "connections.parquet", CONNECTION_DTYPE),
        handshakes=_from_parquet(folder / "handshakes.parquet", PACKET_DTYPE),
        buckets=_from_parquet(folder / "buckets.parquet", BUCKET_DTYPE),
        messages=load_messages(folder),
        round_trips=load_round_trips(folder),
        signals=_signals(folder),
        undecoded=about["undecoded"],
        tunnels=tunnels_of_rows(_from_parquet(folder / "tunnels.parquet", LAYER_DTYPE)),
        times=RecordedTimes(**about.get("times", {})),
        address_names=tuple(_names().validate_python(about.get("address_names", []))),
        warnings=tuple(about["warnings"]),
        error=part.error,
        host=part.host,
    )
    return Ingested(part, replace(capture, credentials=_credentials(capture, about, folder)), ())


def _write_credentials(signs: CredentialSigns, folder: Path) -> None:
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"connection": pa.array(signs.connections)}), folder / _CREDENTIALS)


def _credentials(capture: Capture, about: dict[str, Any], folder: Path) -> CredentialSigns:
    """As decoding decided; what an earlier version decoded is judged by its tables alone."""
    import pyarrow.parquet as pq

    path = folder / _CREDENTIALS
    if not path.is_file():
        return find_credentials(capture, np.zeros(len(capture.connections), np.bool_), 0)
    connections = pq.read_table(path).column("connection").to_numpy()
    return CredentialSigns(connections, about["loose_credential_frames"])


def _signals(folder: Path) -> NDArray[np.void]:
    """None where an earlier version decoded the file."""
    path = folder / "signals.parquet"
    return _from_parquet(path, SIGNAL_DTYPE) if path.is_file() else np.zeros(0, SIGNAL_DTYPE)


def _with_tables(dump: Dump, number: int, folder: Path) -> Dump:
    for name, table in DUMP_TABLES.items():
        path = folder / f"{name}-{number}.parquet"
        if path.exists():
            dump = replace(dump, **{name: table(_from_parquet(path, table.dtype))})  # type: ignore[arg-type]
    return dump
