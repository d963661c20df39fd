"""A report with some of its evidence said otherwise: what is the same for all such changes."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import BaseModel

from backend.forensics.report import EvidencePart

Model = TypeVar("Model", bound=BaseModel)


class Rewriter:
    """Walks a report; a subclass says what becomes of evidence, and of values of other kinds."""

    def model(self, part: Model) -> Model:
        """The part with changed fields; itself where nothing changed."""
        changed = {
            name: made
            for name in type(part).model_fields
            for value in [getattr(part, name)]
            for made in [self.value(value)]
            if made is not value
        }
        return part.model_copy(update=changed) if changed else part

    def value(self, value: Any) -> Any:
        """One field's."""
        if isinstance(value, BaseModel):
            return self.model(value)
        return self.listed(value) if isinstance(value, list) else value

    def listed(self, values: list[Any]) -> list[Any]:
        """A list; one piece of evidence in it can become several."""
        made: list[Any] = []
        for each in values:
            made += self.evidence(each) if isinstance(each, EvidencePart) else [self.value(each)]
        return made

    def evidence(self, part: EvidencePart) -> list[EvidencePart]:
        """What stands in its place."""
        return [part]
