import json
import subprocess
import sys

import pytest

from workers.cli.main import main


def test_help_names_every_command_and_the_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["--help"])
    assert left.value.code == 0
    text = capsys.readouterr().out
    assert "analyze" in text
    assert "exit codes" in text


@pytest.mark.parametrize("arguments", [[], ["no-such-command"], ["analyze"], ["terminal"], ["main"]])
def test_wrong_usage_leaves_with_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(arguments)
    assert left.value.code == 2
    assert "usage: stallscope" in capsys.readouterr().err


def test_analyze_imports_neither_web_nor_database_nor_jobs() -> None:
    script = (
        "import json, sys\n"
        "from workers.cli.main import build_parser\n"
        "build_parser(['analyze', 'x'])\n"
        "import workers.pipeline, workers.cli.terminal, backend.services.render_markdown\n"
        "print(json.dumps(sorted(name.partition('.')[0] for name in sys.modules)))\n"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    imported = set(json.loads(ran.stdout))
    assert imported.isdisjoint({"fastapi", "starlette", "sqlalchemy", "dbos", "alembic", "uvicorn", "scapy"})
