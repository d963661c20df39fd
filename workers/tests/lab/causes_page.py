"""`make causes`: docs/causes.md and a page for each cause, from what the causes state and what the lab makes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from backend.forensics.diagnosis.cause_pages import CausePage, list_pages
from workers.tests.lab.incident import Incident, all_incidents

DOCS: Final = Path(__file__).parents[3] / "docs"
_HEAD: Final = """# Causes

Written by `make causes` from what each cause states and from the [incident lab](../workers/tests/lab/README.md); change
those, not this page. *Named*: of how many instances a report named the cause, and how sure it was, by
[truth.md](truth.md), which states seeds, kernel and commit, and what was said of each twin and look-alike.

| cause | title | incidents of the lab | named | twins and look-alikes beside them |
| --- | --- | --- | --- | --- |
"""
_NAMED: Final = r"\| `[a-z-]+` \| {} \| (\d+) \| (\d+) \| ([^|]+) \|"
"""A row of docs/truth.md: instances, named, confidence."""
_DEPENDS: Final = "They name what was found: a report has them beside the diagnosis."


def pages() -> dict[Path, str]:
    """By file its text."""
    stated = list_pages()
    texts = {DOCS / "causes" / f"{page.cause}.md": _page(page) for page in stated}
    return {DOCS / "causes.md": _HEAD + "".join(map(_row, stated)), **texts}


def main() -> None:
    """Write all of them, and remove the page of a cause that is gone."""
    wanted = pages()
    (DOCS / "causes").mkdir(exist_ok=True)
    for old in (DOCS / "causes").glob("*.md"):
        if old not in wanted:
            old.unlink()
    for file, text in wanted.items():
        file.write_text(text, encoding="utf-8")


def _row(page: CausePage) -> str:
    made, beside = _made(page.cause), _beside(page.cause)
    how = ", ".join(each.name for each in made) or f"none: {_why_not(page.cause)}"
    resembling = ", ".join(each.name for each in beside)
    named = ", ".join(_named(each.name) for each in made)
    return f"| [`{page.cause}`](causes/{page.cause}.md) | {page.title} | {how} | {named} | {resembling} |\n"


def _named(incident: str) -> str:
    """``5 of 5 (0.86 to 0.89)``, in the order of the incidents."""
    row = re.search(_NAMED.format(re.escape(incident)), (DOCS / "truth.md").read_text(encoding="utf-8"))
    return f"{row[2]} of {row[1]} ({row[3]})" if row else "not yet run"


def _page(page: CausePage) -> str:
    text = page.as_markdown()
    if not page.remedies:
        text += f"\n## Remedies\n\n{_DEPENDS}\n"
    made, beside = _made(page.cause), _beside(page.cause)
    lines = [f"- {each.name}: {each.what}." for each in (*made, *beside)]
    if not made:
        lines = [f"Not made: {_why_not(page.cause)}."]
    return text + "\n## Incidents of the lab\n\n" + "\n".join(lines) + "\n"


def _made(cause: str) -> list[Incident]:
    return [each for each in all_incidents().values() if each.cause == cause]


def _beside(cause: str) -> list[Incident]:
    """Of the same families, without a cause."""
    families = {each.make.__module__ for each in _made(cause)}
    return [
        each for each in all_incidents().values() if each.cause is None and each.make.__module__ in families
    ]


def _why_not(cause: str) -> str:
    readme = (Path(__file__).parent / "README.md").read_text(encoding="utf-8")
    row = re.search(rf"^\| `{cause}` \| (.*) \|$", readme, re.MULTILINE)
    return row[1] if row else "no reason is stated"


if __name__ == "__main__":
    main()
