import json
import subprocess
import sys
from pathlib import Path

import pytest

import backend
from workers.cli.main import main, tool_version

DEMO = Path(backend.__file__).parent / "demo" / "snat-race"


def test_help_names_every_command_and_the_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["--help"])
    assert left.value.code == 0
    text = capsys.readouterr().out
    assert "analyze" in text
    assert "exit codes" in text


def test_help_imports_no_more_than_the_standard_library() -> None:
    script = (
        "import contextlib, io, json, sys\n"
        "from workers.cli.main import main\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n"
        "    main(['--help'])\n"
        "print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))\n"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    known = set(sys.stdlib_module_names) | {"backend", "workers"}
    foreign = {"numpy", "scipy", "numba", "pyarrow", "pydantic", "httpx", "fastapi", "sqlalchemy"}
    assert foreign.isdisjoint(set(json.loads(ran.stdout)) - known)


def test_help_imports_few_modules() -> None:
    """A count in place of a time: each module of the standard library that only a command needs takes milliseconds."""
    script = (
        "import contextlib, io, json, sys\n"
        "before = set(sys.modules)\n"
        "from workers.cli.main import main\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n"
        "    main(['--help'])\n"
        "print(json.dumps(sorted(set(sys.modules) - before)))\n"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    imported = set(json.loads(ran.stdout))
    assert imported.isdisjoint({"importlib.metadata", "tempfile", "secrets", "email", "random", "traceback"})
    assert len(imported) < 75


def test_the_version_is_the_installed_one(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["--version"])
    assert left.value.code == 0
    assert capsys.readouterr().out == f"stallscope {tool_version()}\n"


@pytest.mark.parametrize("arguments", [[], ["no-such-command"], ["analyze"], ["terminal"], ["main"]])
def test_wrong_usage_leaves_with_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(arguments)
    assert left.value.code == 2
    assert "usage: stallscope" in capsys.readouterr().err


def test_analyze_imports_only_what_it_needs() -> None:
    script = (
        "import contextlib, io, json, sys\n"
        "from workers.cli.main import main\n"
        "with contextlib.redirect_stdout(io.StringIO()):\n"
        "    assert main(['analyze', sys.argv[1]]) == 0\n"
        "print(json.dumps(sorted(name.partition('.')[0] for name in sys.modules)))\n"
    )
    ran = subprocess.run([sys.executable, "-c", script, DEMO], capture_output=True, text=True, check=True)
    imported = set(json.loads(ran.stdout))
    web_and_jobs = {"fastapi", "starlette", "sqlalchemy", "duckdb", "dbos", "alembic", "uvicorn"}
    assert imported.isdisjoint(web_and_jobs | {"scapy", "numba", "scipy"})
