"""The sentences of a report, and the frames and lines that they cite, for a second reader."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from workers.tests.lab.independent import Frame, frames_of

if TYPE_CHECKING:
    from pathlib import Path

LISTED_MOST = 1_000
"""A report lists so many frames of one input; of more it names the first."""


@dataclass(frozen=True)
class Sentence:
    """One text with its evidence. `about` is the finding or diagnosis that it belongs to."""

    text: str
    evidence: Sequence[dict[str, Any]]
    about: dict[str, Any]
    before: Sentence | None
    """The one above it in the same story."""
    folder: Path
    inputs: tuple[str, ...]
    """All files that were analyzed."""

    def frames(self) -> list[tuple[str, Frame]]:
        """(input, frame) of all that it cites, dissected by scapy."""
        return [
            (part["input"], frames_of(self.folder / part["input"])[number])
            for part in self.evidence
            for number in part["frames"]
        ]

    @property
    def cut(self) -> bool:
        """Whether some frames are not listed."""
        return any(len(part["frames"]) >= LISTED_MOST for part in self.evidence)

    def lines(self) -> dict[str, list[str]]:
        """By input, the lines that it cites."""
        return {
            part["input"]: [_lines(self.folder / part["input"])[number - 1] for number in part["lines"]]
            for part in self.evidence
            if part["lines"]
        }

    def captures(self) -> Iterator[str]:
        """All captures that were analyzed."""
        return (name for name in self.inputs if (self.folder / name).suffix.startswith(".pcap"))


Problem = str | None
Check = Callable[[re.Match[str], Sentence], Problem]


@lru_cache(maxsize=40)
def _lines(path: Path) -> list[str]:
    return path.read_text(errors="replace").splitlines()


def interface_numbers(word: str, sentence: Sentence) -> set[int]:
    """Of ``interface 3``; of a name those that any listing of the incident gives it."""
    if number := re.fullmatch(r"interface (\d+)", word):
        return {int(number[1])}
    lines = (line for path in sorted(sentence.folder.glob("*.txt")) for line in _lines(path))
    return {int(found[1]) for line in lines if (found := re.match(rf"(\d+): {re.escape(word)}[@:]", line))}


def sentences_of(report: dict[str, Any], folder: Path) -> Iterator[Sentence]:
    """Summaries of findings, and the claims of diagnoses."""
    inputs = tuple(part["name"] for part in report["inputs"])
    for finding in report["findings"]:
        yield Sentence(finding["summary"], finding["evidence"], finding, None, folder, inputs)
    for diagnosis in report["diagnoses"]:
        before = None
        for claim in diagnosis["claims"]:
            before = Sentence(claim["text"], claim["evidence"], diagnosis, before, folder, inputs)
            yield before


def template(text: str) -> str:
    """The sentence without its numbers, addresses and names with numbers."""
    quoted = re.sub(r"(?<=: )(?:-A |tcp |udp |oifname ).+", "RULE", text)
    return re.sub(r"(?:[\w-]*\d[\w.,:/-]*\d|[\w-]*\d[\w-]*)", "N", quoted)


def count(text: str) -> int:
    """``1,234``."""
    return int(text.replace(",", ""))


def seconds(text: str) -> float:
    """``1,037 ms``, ``52.8 s`` or ``174 µs``."""
    number, unit = text.rsplit(" ", 1)
    return float(number.replace(",", "")) * {"s": 1.0, "ms": 1e-3, "µs": 1e-6}[unit]


def told_s(text: str) -> float:
    """How far a time in a sentence may be off: what its last digit says, and a microsecond of the file's clock."""
    number, unit = text.rsplit(" ", 1)
    digits = len(number.partition(".")[2])
    return 0.51 / float(10**digits) * {"s": 1.0, "ms": 1e-3, "µs": 1e-6}[unit] + 2e-6
