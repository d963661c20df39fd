from __future__ import annotations

import re
from pathlib import Path

import pytest

from backend.errors import InvalidRequest
from backend.settings import Settings, files_at_once, read_settings
from backend.tests.settings_page import PAGE, page_text

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


@pytest.mark.parametrize("way", ["argument", "environment", "file"])
def test_a_relative_data_folder_stays_where_it_was_named(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Children work in another folder."""
    monkeypatch.chdir(tmp_path)
    Path("chosen.toml").write_text('data = "data"')
    if way == "environment":
        monkeypatch.setenv("STALLSCOPE_DATA", "data")
    elif way == "file":
        monkeypatch.setenv("STALLSCOPE_CONFIG", "chosen.toml")
    settings = Settings(data=Path("data")) if way == "argument" else Settings()
    monkeypatch.chdir("/")
    assert settings.data == tmp_path / "data"
    assert settings.blobs.is_absolute()
    assert str(tmp_path) in settings.metadata_url


def test_the_page_of_settings_lists_each_with_its_default() -> None:
    assert PAGE.read_text(encoding="utf-8") == page_text(), "run `make settings`"


def test_texts_name_no_setting_that_is_none() -> None:
    """In what people read before they set one; clients and the compose file have three of their own."""
    known = {f"STALLSCOPE_{name.upper()}" for name in Settings.model_fields}
    known |= {"STALLSCOPE_CONFIG", "STALLSCOPE_TOKEN", "STALLSCOPE_DATABASE_PASSWORD"}
    root = PAGE.parents[1]
    named = {
        name
        for page in (root / "README.md", PAGE, root / "docs" / "security.md")
        for name in re.findall(r"STALLSCOPE_[A-Z_]*[A-Z]", page.read_text(encoding="utf-8"))
    }
    assert named - known == set()
    assert "STALLSCOPE_AUDIT_DAYS" in (root / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("PORT", "65536", "port: "),
        ("PORT", "abc", "port: "),
        ("DATABASE_URL", "mysql://db/stallscope", "database_url: "),
        ("CONFIG", "absent.toml", "absent.toml"),
        ("CONFIG", "broken.toml", "broken.toml"),
    ],
)
def test_a_wrong_setting_is_named_and_is_no_bug(
    name: str, value: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("broken.toml").write_text("port = = 3")
    monkeypatch.setenv(f"STALLSCOPE_{name}", value)
    with pytest.raises(InvalidRequest, match=said):
        read_settings({"host": None})


def test_right_settings_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STALLSCOPE_DATABASE_URL", "postgresql+psycopg://user:secret@127.0.0.1/stallscope")
    monkeypatch.setenv("STALLSCOPE_PORT", "65535")
    assert read_settings({"host": None, "port": None}).port == 65535
    assert read_settings({"port": 0}).port == 0
