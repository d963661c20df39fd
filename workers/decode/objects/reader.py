"""Reads the documents of a text into dumps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from pydantic import ValidationError

from backend.forensics.credential_text import is_sign
from backend.forensics.dumps import AddressName, Dump
from workers.decode.objects.containers import names_of_container, names_of_sandbox
from workers.decode.objects.documents import Begin, Between, End, Piece, documents_in
from workers.decode.objects.kubernetes import READ_KINDS, names_of
from workers.decode.objects.models import DockerContainer, KubernetesObject, Sandbox

KUBERNETES: Final = "kubernetes-objects"
CONTAINERS: Final = "container-inspect"
_KINDS_NAMED: Final = 8


@dataclass
class _Found:
    """What one document holds."""

    begin: Begin
    names: list[AddressName] = field(default_factory=list)
    kinds: Counter[str] = field(default_factory=Counter)
    not_understood: list[int] = field(default_factory=list)
    containers: int = 0
    holds_credentials: bool = False


@dataclass
class Objects:
    """A dump for each document that was read of a text, and the lines (1-based) that it takes."""

    dumps: list[Dump] = field(default_factory=list)
    lines: list[range] = field(default_factory=list)

    def add(self, found: _Found, end: End) -> None:
        """The next document."""
        self.dumps.append(_dump(found, end))
        self.lines.append(range(found.begin.line, found.begin.line + end.lines))


def without_objects(blocks: Iterator[bytes], objects: Objects) -> Iterator[bytes]:
    """A text in UTF-8, with blank lines in place of its documents, which are added to `objects` on the way. Blank lines
    at its end are left out: there may be millions."""
    blank: list[bytes] = []
    for block in _rest_of(blocks, objects):
        if block.strip():
            yield from blank
            blank.clear()
            yield block
        else:
            blank.append(block)


def _rest_of(blocks: Iterator[bytes], objects: Objects) -> Iterator[bytes]:
    found = _Found(Begin(1, ""))
    for event in documents_in(blocks):
        match event:
            case Between(text):
                yield text
            case Begin():
                found = _Found(event)
            case Piece():
                _take(event, found)
            case End():
                objects.add(found, event)
                yield b"\n" * (event.lines - 1)


def _dump(found: _Found, end: End) -> Dump:
    return Dump(
        CONTAINERS if found.containers else KUBERNETES,
        end.lines,
        tuple(found.not_understood),
        address_names=tuple(found.names),
        holds_credentials=found.holds_credentials,
        warnings=tuple(_warnings(found, end)),
    )


def _warnings(found: _Found, end: End) -> Iterator[str]:
    if end.is_cut:
        read = sum(found.kinds.values()) + found.containers
        yield (
            f"The JSON that begins at line {found.begin.line:,} is cut short. "
            f"The {read:,} objects before the cut were read."
        )
    others = {kind: count for kind, count in found.kinds.items() if kind not in READ_KINDS}
    if others:
        named = ", ".join(kind or "without a kind" for kind in sorted(others)[:_KINDS_NAMED])
        yield f"{sum(others.values()):,} objects of kinds that are not read: {named}."


def _take(piece: Piece, found: _Found) -> None:
    if not _is_taken(piece, found):
        found.not_understood.append(piece.line)


def _is_taken(piece: Piece, found: _Found) -> bool:
    """False for an object that is not understood."""
    try:
        each = KubernetesObject.model_validate_json(piece.text)
    except ValidationError:
        return False
    kind = each.kind or found.begin.list_kind
    if not kind:
        return _take_container(piece, found)
    found.kinds[kind] += 1
    found.names += names_of(each, kind, piece.line)
    if not found.holds_credentials:
        found.holds_credentials = _may_hold_keys(each) if kind in READ_KINDS else _is_sign(piece)
    return True


def _take_container(piece: Piece, found: _Found) -> bool:
    try:
        container = DockerContainer.model_validate_json(piece.text)
    except ValidationError:
        return _take_sandbox(piece, found)
    found.containers += 1
    found.names += names_of_container(container, piece.line)
    found.holds_credentials = found.holds_credentials or bool(container.config.env)
    return True


def _take_sandbox(piece: Piece, found: _Found) -> bool:
    try:
        sandbox = Sandbox.model_validate_json(piece.text)
    except ValidationError:
        return False
    found.containers += 1
    found.names += names_of_sandbox(sandbox, piece.line)
    found.holds_credentials = found.holds_credentials or _is_sign(piece)
    return True


def _may_hold_keys(each: KubernetesObject) -> bool:
    """A variable with a value may be a key whatever its name; references to Secrets are none."""
    for container in each.spec.containers or ():
        if any(variable.value for variable in container.env or ()):
            return True
        if any(map(is_sign, (*(container.args or ()), *(container.command or ())))):
            return True
    return False


def _is_sign(piece: Piece) -> bool:
    return is_sign(piece.text.decode("utf-8", "replace"))
