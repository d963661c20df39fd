from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from workers.decode.loop import wide
from workers.decode.loop.records import SLOT_DTYPE
from workers.decode.loop.tuples import rehash
from workers.decode.loop.walk import walk_pcap
from workers.decode.tables import Tables

RACE = Path(__file__).parents[3] / "backend" / "demo" / "snat-race" / "three-interfaces.pcapng"


@pytest.mark.parametrize(("bits", "big"), [(16, True), (32, True), (64, True), (16, False), (32, False)])
def test_a_load_reads_up_to_the_last_byte_and_not_beyond(bits: int, big: bool) -> None:
    buffer = np.arange(0xF0, 0xF0 + 12, dtype=np.uint8)
    load = wide._plain(bits, big)
    last = 12 - bits // 8
    assert load(buffer, last) == int.from_bytes(buffer[last:].tobytes(), "big" if big else "little")
    for outside in (-1, last + 1):
        with pytest.raises(IndexError):
            load(buffer, outside)


def test_compiled_code_takes_no_arrays_of_other_records() -> None:
    slots = np.zeros(4, SLOT_DTYPE)
    with pytest.raises(TypeError, match="was compiled for"):
        rehash(slots, np.zeros(4, np.uint8))
    with pytest.raises(TypeError, match="one piece"):
        rehash(slots[::2], slots)
    with pytest.raises(TypeError, match="no str"):
        rehash(slots, "slots")


def test_compiled_code_stops_at_the_end_of_its_buffer() -> None:
    tables = Tables(batch_rows=4)
    tables.interfaces["snap_length"] = 100
    whole = np.zeros(16 + 16, np.uint8)
    walk_pcap(whole, 32, False, *tables.arguments())
    assert int(tables.state["position"]) == 32
    tables.state["position"] = 0
    with pytest.raises(IndexError, match="walk_pcap"):
        walk_pcap(whole[:20], 32, False, *tables.arguments())


def test_whoever_only_decodes_imports_no_numba() -> None:
    command = (
        "import sys; from pathlib import Path; from workers.decode.captures import decode_capture;"
        f"decode_capture(Path({str(RACE)!r}), name='x', sha256='', packets_path=None);"
        "sys.exit('numba' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", command], check=True)
