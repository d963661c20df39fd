"""References to frames and lines in Markdown: plain words, or links where a server shows what they name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from backend.forensics.report import EvidencePart
from backend.services.markdown_text import code_span
from backend.services.report_words import references_of

_OWN_PAGE = re.compile(r"(https?://[^/]+)/i/([0-9a-f]+)")
LINKED_EACH = 12
"""Frames or runs of lines of one reference that are links; a thousand links would drown a ticket."""


@dataclass(frozen=True)
class References:
    """How evidence is named. `page` is the investigation's address on its server, "" where there is none."""

    page: str = ""

    @property
    def picture(self) -> str:
        """Address of the timeline as SVG; "" where no server shows the investigation."""
        own = _OWN_PAGE.fullmatch(self.page)
        return f"{own[1]}/api/v1/investigations/{own[2]}/timeline.svg" if own else ""

    def of(self, evidence: Sequence[EvidencePart], *, shown_each: int) -> str:
        """`` (`any.pcap` [#241](…))`` with a space before it; "" without evidence."""
        if self.page:
            texts = [text for part in evidence for text in self._linked(part, shown_each)]
        else:
            texts = [code_span(text) for text in references_of(evidence, shown_each=shown_each)]
        return f" ({', '.join(texts)})" if texts else ""

    def _linked(self, part: EvidencePart, shown_each: int) -> Iterator[str]:
        frames = [(f"#{frame}", f"f{frame}") for frame in part.frames]
        lines = [
            (f":{first}", f"l{first}") if first == last else (f":{first}–{last}", f"l{first}-{last}")
            for first, last in line_runs(part.lines)
        ]
        for places in (frames, lines):
            if places:
                yield " ".join([code_span(part.input), *self._places(part.input, places, shown_each)])
        if not frames and not lines:
            yield code_span(part.input)

    def _places(self, input_name: str, places: Sequence[tuple[str, str]], shown_each: int) -> Iterator[str]:
        shown = places[:shown_each]
        for text, place in shown[:LINKED_EACH]:
            yield f"[{text}]({self.page}?evidence={quote(f'{input_name}#{place}', safe='')})"
        plain = " ".join(text for text, _ in shown[LINKED_EACH:])
        if plain:
            yield code_span(plain)
        if len(places) > len(shown):
            yield f"and {len(places) - len(shown):,} more"


def line_runs(lines: Sequence[int]) -> list[tuple[int, int]]:
    """Neighbouring numbers joined: 4, 5, 6, 9 are (4, 6) and (9, 9)."""
    runs: list[tuple[int, int]] = []
    for line in sorted(lines):
        if runs and line <= runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], line)
        else:
            runs.append((line, line))
    return runs
