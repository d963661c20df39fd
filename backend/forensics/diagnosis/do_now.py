"""Chooses what to do first about a cause: fix it, confirm it, or ask whoever can change it."""

from __future__ import annotations

import re
from typing import Final

from backend.forensics.diagnosis.shell_commands import is_complete, only_reads
from backend.forensics.report import DiagnosisPart
from backend.forensics.report_do_now import DoNowPart

WORDS_MOST: Final = 12
_ASIDE: Final = re.compile(r"\s*\([^()]*\)")
_CLAUSES: Final = re.compile(r"(?=[;,] | (?:and|before|if|instead of) )")
_CHECK_FIRST: Final = "Read the present value before you change anything"
_SURE: Final = ("confirmed", "likely")


def with_do_now(part: DiagnosisPart) -> DiagnosisPart:
    """The diagnosis with what to do first, and with each remedy's command known as a change or as none."""
    remedies = [
        each.model_copy(update={"changes": bool(each.command) and not only_reads(str(each.command))})
        for each in part.remedies
    ]
    part = part.model_copy(update={"remedies": remedies})
    return part.model_copy(update={"do_now": _fix(part) if part.verdict in _SURE else _confirm(part)})


def headline(text: str) -> str:
    """What is said before the colon, in as many clauses as have room in 12 words: the rest is how, or the reason."""
    said = text.partition(": ")[0]
    if len(said.split()) > WORDS_MOST:
        clauses = _CLAUSES.split(_ASIDE.sub("", said))
        said = clauses[0]
        for clause in clauses[1:]:
            if len((said + clause).split()) > WORDS_MOST:
                break
            said += clause
    words = said.split()
    return (said if len(words) <= WORDS_MOST else " ".join([*words[: WORDS_MOST - 1], "…"])).rstrip(".,;")


def _fix(part: DiagnosisPart) -> DoNowPart | None:
    """A change that is a choice needs thought, and one with a condition fits some installations only: neither is the
    first thing to do."""
    advice = [r for r in part.remedies if not r.choice and not r.condition]
    if not advice:
        return _confirm(part)
    # Causes list the best remedy first; one without a command gives way to a change that can be typed.
    first = next((r for r in advice if r.command and (not r.changes or is_complete(r.command))), advice[0])
    if first.command and not first.changes:
        # What is missing decides which change fits; without it, the remedy's own command is what there is to read.
        if any(only_reads(each.command) for each in part.missing):
            return _confirm(part)
        return _read(first.what, first.command, first.applies_to)
    command = first.command if first.command and is_complete(first.command) else None
    return DoNowPart(
        action="fix" if first.changes else "ask",
        what=headline(first.what),
        command=command,
        applies_to=first.applies_to,
    )


def _confirm(part: DiagnosisPart) -> DoNowPart | None:
    """What decides between this cause and the others; of several the first that can be typed as it stands."""
    reading = [each for each in part.missing if only_reads(each.command)]
    chosen = next((each for each in reading if is_complete(each.command)), reading[0] if reading else None)
    if chosen is not None:
        return _read(chosen.what, chosen.command, "")
    for remedy in part.remedies:
        if remedy.command and not remedy.changes:
            return _read(remedy.what, remedy.command, remedy.applies_to)
        if only_reads(remedy.check):
            return _read(_CHECK_FIRST, remedy.check, remedy.applies_to)
    if not part.remedies:
        return None
    first = part.remedies[0]
    return DoNowPart(action="ask", what=headline(first.what), applies_to=first.applies_to)


def _read(what: str, command: str, applies_to: str) -> DoNowPart:
    return DoNowPart(
        action="confirm",
        what=headline(what),
        command=command if is_complete(command) else None,
        applies_to=applies_to,
    )
