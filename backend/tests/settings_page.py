"""``python -m backend.tests.settings_page`` writes docs/settings.md from the settings and what is said of each."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path
from typing import Any, Final

from pydantic import SecretStr

from backend.limits import Limits
from backend.settings import Settings

PAGE: Final = Path(__file__).parents[2] / "docs" / "settings.md"
HEAD: Final = """# Settings

<!-- Written by `make settings` from backend/settings.py and backend/limits.py. -->

Options of the command line come first, then variables of the environment, then the TOML file that `STALLSCOPE_CONFIG`
names, whose keys are the names below in small letters without `STALLSCOPE_`. Clients read an access token from
`STALLSCOPE_TOKEN`.

| variable | default | what |
| --- | --- | --- |
"""
DEFAULTS: Final = {
    "data": "`~/.local/share/stallscope`",
    "worker_files": "one a core, as memory allows, at most 8",
}
"""Of what depends on the machine."""


def page_text() -> str:
    """The page; raises ValueError for a setting that nothing is said of."""
    told = {**_docstrings(Limits), **_docstrings(Settings)}
    rows = []
    for name, field in Settings.model_fields.items():
        if name not in told:
            raise ValueError(f"Say in backend/settings.py what {name} is.")
        rows.append(f"| `STALLSCOPE_{name.upper()}` | {_default(name, field.default)} | {told[name]} |\n")
    return HEAD + "".join(rows)


def _docstrings(of: type[Any]) -> dict[str, str]:
    """Field -> the text that stands below it."""
    [defined] = ast.parse(inspect.getsource(of)).body
    assert isinstance(defined, ast.ClassDef)
    found = {}
    for field, text in zip(defined.body, defined.body[1:], strict=False):
        is_text = isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant)
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and is_text:
            said = " ".join(str(ast.literal_eval(text.value)).split())  # type: ignore[attr-defined]
            found[field.target.id] = said.replace("``", "`").replace("|", "\\|")
    return found


def _default(name: str, value: Any) -> str:
    if name in DEFAULTS:
        return DEFAULTS[name]
    if isinstance(value, SecretStr) or value in ("", None):
        return "none"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


if __name__ == "__main__":
    PAGE.write_text(page_text(), encoding="utf-8")
