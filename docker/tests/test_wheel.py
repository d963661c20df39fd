"""The wheel is the whole product: it holds the page, the migrations and the rules, and runs from anywhere."""

import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not (ROOT / "frontend" / "dist" / "index.html").is_file():
        pytest.skip("the web page is not built; `make build` builds it")
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--wheel-dir", str(folder), str(ROOT)], check=True)
    return next(folder.glob("*.whl"))


def test_the_wheel_holds_page_migrations_and_rules_but_no_tests(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert "backend/web/index.html" in names
    assert "backend/migrations/env.py" in names
    assert any(name.startswith("backend/demo/") for name in names)
    rules = {str(file.relative_to(ROOT)) for file in (ROOT / "backend/forensics/detectors").glob("*/rule.md")}
    assert rules
    assert rules <= set(names)
    assert [name for name in names if "/tests/" in name] == []


def run_elsewhere(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs with nothing of the checkout within reach."""
    bare = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "STALLSCOPE_"))
    }
    return subprocess.run(
        command, check=False, cwd=folder, env={**bare, "HOME": str(folder)}, capture_output=True, text=True
    )


def test_the_installed_wheel_runs_from_another_folder(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "env", with_pip=False)
    python = tmp_path / "env" / "bin" / "python"
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(tmp_path / "env")}))
    # The dependencies are borrowed; the editable install beside them is not, for a .pth file reads no other.
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    pip = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(python),
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
    ]
    subprocess.run([*pip, str(wheel)], check=True)

    where = run_elsewhere([str(python), "-c", "import backend, workers; print(backend.__file__)"], tmp_path)
    assert where.stdout.startswith(str(packages)), where.stderr

    helped = run_elsewhere([str(tmp_path / "env" / "bin" / "stallscope"), "--help"], tmp_path)
    assert helped.returncode == 0, helped.stderr
    assert "analyze" in helped.stdout
