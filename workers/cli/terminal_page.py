"""A page of text for a terminal: headings, wrapped sentences, labels, commands, references."""

from __future__ import annotations

from collections.abc import Iterable

from backend.forensics.report import EvidencePart
from backend.services.report_words import references_of
from workers.cli.terminal_text import Paint, visible, wrapped

LABEL_WIDTH = 13


class Page:
    """Collects lines; every text that goes through it is made visible first."""

    def __init__(self, width: int, paint: Paint) -> None:
        self.lines: list[str] = []
        self._width = width
        self._paint = paint

    def blank(self) -> None:
        if self.lines and self.lines[-1]:
            self.lines.append("")

    def rule(self) -> None:
        self.blank()
        self.lines.append(self._paint("─" * min(self._width, 72), "dim"))
        self.lines.append("")

    def heading(self, text: str, *, note: str = "") -> None:
        self.blank()
        self.lines.append(
            self._paint(visible(text), "bold") + (self._paint(f"  ({note})", "dim") if note else "")
        )

    def headline(self, word: str, text: str, *styles: str) -> None:
        self.lines.append(f"{self._paint(word, *styles)}  {self._paint(visible(text), 'bold')}")

    def text(self, text: str, *, first: str = "  ", following: str | None = None) -> None:
        after = " " * len(first) if following is None else following
        self.lines += wrapped(visible(text), width=self._width, first=first, following=after)

    def labelled(self, label: str, text: str) -> None:
        if text:
            self.text(text, first=f"  {label:<{LABEL_WIDTH}}", following=" " * (LABEL_WIDTH + 2))

    def command(self, command: str | None, *, label: str = "", indent: int = LABEL_WIDTH + 2) -> None:
        """A command on a line of its own, never wrapped, so that it can be copied."""
        for line in (command or "").splitlines():
            if line.strip():
                typed = self._paint(f"$ {visible(line)}", "cyan")
                self.lines.append(f"{'  ' + label:<{indent}}{typed}")
                label = ""

    def proof(self, evidence: Iterable[EvidencePart], *, indent: str) -> None:
        for reference in references_of(list(evidence)):
            self.lines.append(self._paint(f"{indent}{visible(reference)}", "dim"))
