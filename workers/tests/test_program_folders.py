"""What a child may read beside the files of its work: programs, and nothing that lies among them."""

from __future__ import annotations

import shutil
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text

from backend.settings import Settings
from backend.storage.store import open_store
from workers.confinement.trial import confinement_here
from workers.sandbox import Access, ChildPool, Notify, child_work
from workers.sandbox.program_folders import folders_of_programs

needs_landlock = pytest.mark.skipif(
    not confinement_here().landlock, reason="the kernel does not offer Landlock"
)


@child_work()
def read_among_programs(paths: list[Path], notify: Notify) -> list[str]:
    import tomllib  # a module that nothing here has imported

    assert tomllib.loads("a = 1")
    return [attempt(path) for path in paths]


def attempt(path: Path) -> str:
    try:
        path.read_bytes()
        return "read"
    except OSError as error:
        return type(error).__name__


@pytest.fixture
def among_programs() -> Iterator[Path]:
    """A folder where packages are installed."""
    folder = Path(tempfile.mkdtemp(prefix="stallscope-test-", dir=sysconfig.get_path("purelib")))
    yield folder
    shutil.rmtree(folder)


@needs_landlock
@pytest.mark.promise("A data folder or a secret that lies among the programs is not read by a child.")
@pytest.mark.parametrize("may_start_programs", [False, True])
def test_data_among_programs_is_hidden(among_programs: Path, may_start_programs: bool) -> None:
    data, beside, secret = among_programs / "data", among_programs / "module.py", among_programs / "secret"
    data.mkdir()
    for path in (data / "mine", data / "another", beside, secret):
        path.write_bytes(b"1")
    access = Access(read=(data / "mine",), may_start_programs=may_start_programs)
    asked = [data / "mine", beside, data / "another", secret]
    assert read(asked, access) == ["read"] * 4  # as among programs
    hidden = Settings(data=data, admin_password_file=secret).private_paths
    assert read(asked, access, *hidden) == ["read", "read", "PermissionError", "PermissionError"]


@needs_landlock
@pytest.mark.promise("A data folder or a secret that lies among the programs is not read by a child.")
def test_a_database_among_programs_is_hidden(among_programs: Path, tmp_path: Path) -> None:
    """The file, and what SQLite writes beside it: the newest rows are there alone."""
    address = f"sqlite:///{among_programs / 'any.sqlite'}"
    store = open_store(Settings(data=tmp_path / "data", database_url=address), migrate=True)
    with store.database.writing() as session:
        session.execute(text("CREATE TABLE secrets (value TEXT)"))
    written = sorted(among_programs.iterdir())
    assert {each.name for each in written} >= {"any.sqlite", "any.sqlite-wal"}
    assert read(written, Access()) == ["read"] * len(written)
    assert read(written, Access(), *store.private_paths) == ["PermissionError"] * len(written)
    store.close()


def read(paths: list[Path], access: Access, *hidden: Path) -> list[str]:
    pool = ChildPool(1, works=(read_among_programs,), hidden=hidden)
    try:
        return pool.run(read_among_programs, (paths,), notify=print, is_wanted=lambda: True, access=access)
    finally:
        pool.close()


@pytest.mark.parametrize(
    "path",
    [
        "/opt/stallscope/data",
        "/usr/stallscope",
        "/usr/local/stallscope",
        "/var/lib/stallscope",
        "/srv",
        "/etc",
    ],
)
def test_folders_of_others_are_no_programs(path: str) -> None:
    assert not [each for each in folders_of_programs() if Path(path).is_relative_to(each)]


def test_a_link_beside_hidden_data_opens_nothing(tmp_path: Path, among_programs: Path) -> None:
    private = tmp_path / "private"
    private.mkdir()
    (among_programs / "data").mkdir()
    (among_programs / "link").symlink_to(private)
    (among_programs / "package").mkdir()
    found = folders_of_programs([among_programs / "data"])
    assert among_programs / "package" in found
    assert not {private, among_programs / "link", among_programs, among_programs / "data"} & {*found}
