"""What every Python test can use: golden files, outside captures, a PostgreSQL to test against."""

import os
import shutil
from pathlib import Path

import pytest
import structlog

from backend.forensics.isolation import Isolation
from workers.garbage import collect_rarely

# Half the time of collecting thousands of tests is looking for garbage among modules.
collect_rarely()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-expected", action="store_true", help="write the golden files anew")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The tests of a file run in one process (--dist loadfile), so that what they share is started once; short files
    come last, so that no process is left alone at the end with minutes of work."""
    items.sort(key=lambda item: (_starts_product(item), str(item.path)), reverse=True)


def _starts_product(item: pytest.Item) -> bool:
    return hasattr(item.module, "running_product") or "product" in item.fixturenames  # type: ignore[attr-defined]


@pytest.fixture(autouse=True)
def _nothing_breaks_silently(monkeypatch: pytest.MonkeyPatch) -> None:
    """A detector or cause that raises fails the test, in place of a line in the report."""
    monkeypatch.setattr(Isolation, "strict", True)


@pytest.fixture(autouse=True)
def _log_of_nobody_else() -> None:
    """A command that a test before ran in this process has sent its log to standard error."""
    structlog.reset_defaults()


@pytest.fixture
def update_expected(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are to be written instead of compared."""
    return bool(request.config.getoption("--update-expected"))


@pytest.fixture(scope="session")
def extra_captures() -> Path:
    """A folder of captures too large for the repository."""
    folder = os.environ.get("STALLSCOPE_EXTRA_CAPTURES", "")
    if not folder or not Path(folder).is_dir():
        pytest.skip("STALLSCOPE_EXTRA_CAPTURES names no folder of captures")
    return Path(folder)


@pytest.fixture(scope="session")
def postgres_url() -> str:
    """An empty PostgreSQL database these tests may fill."""
    url = os.environ.get("STALLSCOPE_TEST_POSTGRES_URL", "")
    if not url:
        pytest.skip("STALLSCOPE_TEST_POSTGRES_URL names no PostgreSQL")
    return url


@pytest.fixture(scope="session")
def tshark() -> str:
    """Where tshark is."""
    found = shutil.which("tshark")
    if found is None:
        pytest.skip("tshark is not installed")
    return found
