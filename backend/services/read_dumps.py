"""The dumps of an investigation as their decoding kept them: what is in each, without reading the texts again."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from pydantic import TypeAdapter

from backend.errors import NotFound
from backend.forensics.dumps import Dump
from backend.forensics.report import InputPart
from backend.services.read_progress import list_files
from backend.storage.records import DECODED, EvidenceFile
from backend.storage.store import Store

_DUMPS = TypeAdapter(list[Dump])


@dataclass(frozen=True)
class KeptDump:
    """One dump of one file. Tables of many rows are columns in `folder`; of these the dump holds no row."""

    file: EvidenceFile
    number: int
    """0-based, in the order of the text: a text may hold a series of dumps."""
    host: str
    """The machine it is of, "" where nothing names it."""
    dump: Dump
    folder: Path

    def table_path(self, name: str) -> Path:
        """The columns of one of its large tables, whether or not there are any."""
        return self.folder / f"{name}-{self.number}.parquet"


def read_dumps(store: Store, investigation_id: str) -> list[KeptDump]:
    """All that are decoded, file by file in the order of their names; raises NotFound without the investigation."""
    files = [
        file for file in list_files(store, investigation_id) if file.status == DECODED and file.kind == "dump"
    ]
    return [dump for file in sorted(files, key=lambda each: each.name) for dump in dumps_of(store, file)]


def dumps_of(store: Store, file: EvidenceFile) -> list[KeptDump]:
    """Those of one decoded file."""
    folder = store.file_folder(file.investigation_id, file.id)
    path = folder / "input.json"
    if not path.is_file():
        raise NotFound(f"{file.name} is not decoded (yet).")
    part, dumps = _kept(path, path.stat().st_mtime_ns)
    host = part.host or file.host or ""
    return [KeptDump(file, number, host or dump.host, dump, folder) for number, dump in enumerate(dumps)]


@lru_cache(maxsize=64)
def _kept(path: Path, modified_ns: int) -> tuple[InputPart, tuple[Dump, ...]]:
    del modified_ns  # part of the key: decoding again writes a new file
    about = json.loads(path.read_text(encoding="utf-8"))
    return InputPart.model_validate(about["part"]), tuple(_DUMPS.validate_python(about["dumps"]))
