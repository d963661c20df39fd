"""What every cause says beside its weighing: a reason for each weight, for each change its proof and its way back."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

DIAGNOSIS = Path(__file__).parents[1]
NEEDED = {
    "RemedyPart": {"what", "applies_to", "check", "proof", "undo", "side_effect"},
    "MissingPart": {"what", "command"},
    "ListingRequest": {"what", "command", "at"},
    "RivalPart": {"cause", "title", "status", "because"},
    "Hypothesis": {"missing", "refutation"},
}
WEIGHED = ("weight", "text", "evidence", "reason")


def _calls(name: str) -> Iterator[tuple[str, ast.Call]]:
    """(file and line, call) of each that makes one; those that pass on what they were given are left out."""
    for path in sorted(DIAGNOSIS.rglob("*.py")):
        if "tests" in path.relative_to(DIAGNOSIS).parts:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and _is_whole(node, name):
                yield f"{path.relative_to(DIAGNOSIS)}:{node.lineno}", node


def _is_whole(call: ast.Call, name: str) -> bool:
    named = isinstance(call.func, ast.Name) and call.func.id == name
    return named and all(keyword.arg for keyword in call.keywords)


def _is_blank(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and not value.value


@pytest.mark.parametrize("name", NEEDED)
def test_nothing_that_belongs_to_it_is_left_out(name: str) -> None:
    made = list(_calls(name))
    assert made
    for where, call in made:
        given = {keyword.arg for keyword in call.keywords if not _is_blank(keyword.value)}
        assert NEEDED[name] <= given, (where, NEEDED[name] - given)


def test_each_weight_has_a_reason() -> None:
    made = list(_calls("Weighed"))
    assert len(made) > 100
    for where, call in made:
        given = [*zip(WEIGHED, call.args, strict=False), *((k.arg, k.value) for k in call.keywords)]
        assert {name for name, value in given if not _is_blank(value)} >= set(WEIGHED), where
