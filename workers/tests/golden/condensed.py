"""A report made short enough to keep and to review: what it says in words, and a digest of everything else.

Words stand apart from the rest, so that a change of wording shows in `words` alone, and any other change in a digest.
Of texts that differ in their numbers alone the first is kept; the numbers of all of them are in the digests.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

LEFT_OUT = ("created", "tool", "label", "timings")
"""Of the moment of the analysis and of the machine, not of the evidence."""
PROSE_KEYS = frozenset({"title", "name", "label"})
"""Words for people even where they are a single one."""
FINDING_SHOWN = ("id", "severity", "confidence", "count", "time_lost_s")
DIAGNOSIS_SHOWN = ("id", "confidence", "verdict", "time_lost_s", "attempts_explained")
DIGEST_LENGTH = 16
NUMBER = re.compile(r"\d[\d.,:]*")


class _Words:
    """Every text once, in order of appearance."""

    def __init__(self) -> None:
        self.first: dict[str, str] = {}
        """By text without its numbers, the first such text."""

    def without(self, content: Any, key: str = "") -> Any:
        """The content with each text replaced by its place in the list and its numbers."""
        if isinstance(content, dict):
            return {name: self.without(value, name) for name, value in content.items()}
        if isinstance(content, list):
            return [self.without(value, key) for value in content]
        if isinstance(content, str) and (" " in content or key in PROSE_KEYS):
            shape = NUMBER.sub("#", content)
            self.first.setdefault(shape, content)
            return f"words {list(self.first).index(shape)}", sorted(NUMBER.findall(content))
        return content


def condensed(report: dict[str, Any]) -> dict[str, Any]:
    """The report `stallscope.report/1` in the form of the golden files."""
    words = _Words()
    parts: dict[str, Any] = {}
    for name, part in report.items():
        if name in LEFT_OUT:
            continue
        bare = words.without(part, name)
        if name == "findings":
            parts[name] = [_shown(each, FINDING_SHOWN) for each in bare]
        elif name == "diagnoses":
            parts[name] = [_shown(each, DIAGNOSIS_SHOWN) for each in bare]
        else:
            parts[name] = _digest(bare)
    return {"parts": parts, "words": list(words.first.values())}


def _shown(part: dict[str, Any], keys: tuple[str, ...]) -> str:
    return ", ".join([*(f"{key} {part[key]}" for key in keys), f"digest {_digest(part)}"])


def _digest(content: Any) -> str:
    text = json.dumps(content, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:DIGEST_LENGTH]
