from __future__ import annotations

import pytest

from backend.settings import Settings, files_at_once

_GB = 1 << 30


@pytest.mark.parametrize(
    ("cores", "memory_bytes", "expected"),
    [(1, 64 * _GB, 1), (4, 64 * _GB, 4), (4, 4 * _GB, 4), (4, 4 * _GB - 1, 3), (4, 1, 1), (64, 512 * _GB, 8)],
)
def test_files_are_decoded_one_a_core_with_memory_for_each(
    cores: int, memory_bytes: int, expected: int
) -> None:
    assert files_at_once(cores, memory_bytes) == expected


def test_a_chosen_number_of_files_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STALLSCOPE_WORKER_FILES", "3")
    assert Settings().worker_files == 3
