from __future__ import annotations

import gzip
import hashlib
from pathlib import Path

import numpy as np
import pytest

from workers.decode.captures import decode_capture
from workers.decode.digest import running_digest
from workers.decode.open_source import open_source
from workers.decode.sources import BUFFER_BYTES, PlainSource, Window

RACE = Path(__file__).parents[3] / "backend" / "demo" / "snat-race" / "three-interfaces.pcapng"


def decoded_sha256(path: Path, sha256: str | None = None) -> str:
    return decode_capture(path, name="x", sha256=sha256, packets_path=None).sha256


@pytest.mark.parametrize("cut", [0, 1, 100_000])
def test_the_digest_is_that_of_the_stored_file_also_when_it_is_cut_short(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "cut.pcapng"
    path.write_bytes(RACE.read_bytes()[: -cut or None])
    assert decoded_sha256(path) == hashlib.sha256(path.read_bytes()).hexdigest()


def test_bytes_behind_the_place_where_decoding_stops_belong_to_it(tmp_path: Path) -> None:
    path = tmp_path / "damaged.pcapng"
    path.write_bytes(RACE.read_bytes()[:200_001] + b"\xff" * (2 * BUFFER_BYTES))
    assert decoded_sha256(path) == hashlib.sha256(path.read_bytes()).hexdigest()


def test_of_a_compressed_file_the_stored_bytes_count(tmp_path: Path) -> None:
    path = tmp_path / "packed.pcapng.gz"
    path.write_bytes(gzip.compress(RACE.read_bytes()))
    assert decoded_sha256(path) == hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_known_digest_is_taken_as_it_is() -> None:
    assert decoded_sha256(RACE, "0" * 64) == "0" * 64


def test_a_buffer_is_not_overwritten_while_it_is_hashed(tmp_path: Path) -> None:
    path = tmp_path / "large"
    path.write_bytes(np.random.default_rng(1).bytes(3_000_001))
    with running_digest() as digest, open_source(path, "") as source:
        assert isinstance(source, PlainSource)
        window = Window(source, size=100_000, digest=digest)
        window.refill(0)
        while not window.ended:
            window.refill(window.end - 77)
        assert digest.finish(path, source.bytes_done) == hashlib.sha256(path.read_bytes()).hexdigest()
