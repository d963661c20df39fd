"""A page of Markdown for each cause, from what its module states: mechanism, look-alikes, evidence, remedies, sources.

What depends on the evidence of one investigation (addresses in remedies, the state of a rival) stands in its report
alone."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from types import ModuleType
from typing import TypeVar

from backend.forensics.diagnosis import causes
from backend.forensics.diagnosis.alternatives import Alternative
from backend.forensics.diagnosis.causes import list_causes
from backend.forensics.diagnosis.given_listings import ListingRequest
from backend.forensics.diagnosis.listed_causes import ListedCause
from backend.forensics.report import MissingPart, RemedyPart, RivalPart

_Part = TypeVar("_Part", MissingPart, RemedyPart, RivalPart, ListingRequest, Alternative)
_REST = "unknown"


@dataclass(frozen=True)
class CausePage:
    """What the modules of one cause state."""

    cause: str
    title: str
    mechanism: str
    alternatives: tuple[Alternative, ...]
    missing: tuple[tuple[str, str], ...]
    """(what, command)."""
    remedies: tuple[RemedyPart, ...]
    references: tuple[str, ...]

    def as_markdown(self) -> str:
        """Sections of which nothing is stated are left out."""
        sections = [
            ("Mechanism", [self.mechanism]),
            ("Look-alikes", [f"- **{each.title}**: {each.difference}." for each in self.alternatives]),
            ("Evidence to collect", [f"- {what}: `{command}`" for what, command in self.missing]),
            ("Remedies", [line for remedy in self.remedies for line in _remedy_lines(remedy)]),
            ("Sources", [f"- {reference}" for reference in self.references]),
        ]
        shown = [f"## {head}\n\n" + "\n".join(lines) for head, lines in sections if lines]
        return "\n\n".join([f"# {self.title}", f"Cause `{self.cause}`.", *shown]) + "\n"


@lru_cache(maxsize=1)
def list_pages() -> tuple[CausePage, ...]:
    """Of every cause but the one that takes what is left, by name."""
    return tuple(_page(name) for name in list_causes() if name != _REST)


def _page(cause: str) -> CausePage:
    module = importlib.import_module(f"{causes.__name__}.{cause.replace('-', '_')}")
    modules = [module, *_parts_of(module)]
    listed = [value for each in modules for value in vars(each).values() if isinstance(value, ListedCause)]
    values = [value for each in modules for value in vars(each).values()]
    values += [value for each in listed for value in (each.rivals, each.remedies)]
    asked = [
        (part.what, part.command or "")
        for kind in (MissingPart, ListingRequest)
        for part in _stated(values, kind)
    ]
    return CausePage(
        cause, str(module.TITLE), inspect.getdoc(module) or "",
        _alternatives(values), tuple(dict.fromkeys(each for each in asked if each[1])),
        _stated(values, RemedyPart), tuple(module.REFERENCES),
    )  # fmt: skip


def _alternatives(values: list[object]) -> tuple[Alternative, ...]:
    """Those stated for the page, and rivals that are the same in every report."""
    rivals = (Alternative(rival.title, rival.because) for rival in _stated(values, RivalPart))
    return (*_stated(values, Alternative), *rivals)


def _parts_of(package: ModuleType) -> Iterator[ModuleType]:
    """The modules of a cause that is a folder, without its tests."""
    for entry in pkgutil.iter_modules(getattr(package, "__path__", ())):
        if entry.name != "tests":
            yield importlib.import_module(f"{package.__name__}.{entry.name}")


def _stated(values: list[object], kind: type[_Part]) -> tuple[_Part, ...]:
    """Constants of that kind, alone or in a tuple, each once."""
    found: list[_Part] = []
    for value in values:
        for each in value if isinstance(value, tuple) else (value,):
            if isinstance(each, kind) and each not in found:
                found.append(each)
    return tuple(found)


def _remedy_lines(remedy: RemedyPart) -> Iterator[str]:
    yield f"- **{remedy.what}.**"
    facts = (
        ("Where", remedy.condition),
        ("For", remedy.applies_to),
        ("Command", f"`{remedy.command}`" if remedy.command else None),
        ("Check", f"`{remedy.check}`"),
        ("Proof", remedy.proof),
        ("Undo", remedy.undo),
        ("Side effect", remedy.side_effect),
        ("Versions", remedy.versions),
    )
    yield from (f"  - {name}: {text}" for name, text in facts if text)
