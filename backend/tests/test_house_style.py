"""Rules of the house that no linter knows: file sizes and what the top level holds."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HARD_LIMIT = 400
TOP_LEVEL = re.compile(
    r"backend|frontend|workers|migrations|docker|docs|docker-compose\.yml|pyproject\.toml|package(-lock)?\.json"
    r"|Makefile|dist|conftest\.py|LICENSE|requirements[\w-]*\.txt|[\w-]+\.md|\..+|node_modules|data|__pycache__"
)
REGISTRY_HOSTS = re.compile("|".join(("pypi" + r"\.org", "pythonhosted" + r"\.org", "registry" + r"\.npmjs")))


def python_files() -> list[Path]:
    found = [
        file for folder in ("backend", "workers", "migrations") for file in (ROOT / folder).rglob("*.py")
    ]
    return sorted(found)


def length_in_lines(file: Path) -> int:
    return len(file.read_text(encoding="utf-8").splitlines())


def test_no_python_file_is_longer_than_400_lines() -> None:
    too_long = {str(f.relative_to(ROOT)): length_in_lines(f) for f in python_files()}
    assert {name: lines for name, lines in too_long.items() if lines > HARD_LIMIT} == {}


def test_the_top_level_holds_only_what_the_architecture_names() -> None:
    assert [entry.name for entry in ROOT.iterdir() if not TOP_LEVEL.fullmatch(entry.name)] == []


@pytest.mark.parametrize(
    "name", [*sorted(f.name for f in ROOT.glob("requirements*.txt")), "package-lock.json"]
)
def test_pins_name_no_package_registry(name: str) -> None:
    assert REGISTRY_HOSTS.search((ROOT / name).read_text(encoding="utf-8")) is None


def test_no_module_is_named_after_nothing() -> None:
    vague = {"utils", "helpers", "common", "manager", "core", "misc", "data"}
    assert [str(file) for file in python_files() if file.stem in vague or file.parent.name in vague] == []
