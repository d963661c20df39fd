"""Sentences and headings that people write between listings: no output of a program, known or unknown.

When everything is working, I see a conntrack entry:
### After deletion
**Logs**
<-- here it stalls
"""

from __future__ import annotations

import re
from typing import Final

_LONGEST: Final = 2_000
_HEADING = re.compile(
    r"\s{0,3}(?:#{1,6}\s{1,4}[A-Za-z*`]|<[-=]{2,3} ?[A-Za-z]|\*\*[A-Za-z][^*=]{1,120}\*\*:?\s*$|\d\) |\d\. |[-*] [A-Z])"
)
_MARKS: Final = "#*•–—\"'`()[]{}_:;,.!?…“”’"
_WORD = re.compile(r"[A-Za-z][A-Za-z'’-]{0,24}$")
_OF_PEOPLE: Final = frozenset(
    (
        "i",
        "we",
        "my",
        "our",
        "you",
        "your",
        "me",
        "us",
        "it's",
        "i'm",
        "i've",
        "don't",
        "can't",
        "doesn't",
        "please",
        "here's",
        "that's",
        "i'd",
        "i'll",
        "we're",
        "we've",
        "there's",
        "didn't",
        "isn't",
        "won't",
        "couldn't",
    )
)
_FUNCTION_WORDS: Final = frozenset(
    (
        "a", "after", "all", "also", "am", "an", "and", "are", "as", "at", "be", "because", "been",
        "before", "but", "by", "can", "could", "did", "does", "each", "for", "from", "had", "has", "have",
        "here", "how", "if", "in", "is", "it", "its", "like", "not", "now", "of", "on", "only", "or",
        "other", "same", "see", "should", "so", "some", "still", "such", "than", "that", "the", "their",
        "them", "then", "there", "these", "they", "this", "to", "was", "were", "what", "when", "where",
        "which", "while", "will", "with", "without", "would",
    )
)  # fmt: skip
_FAILURES = re.compile(
    r"fail|error|refus|time[d]? ?out|unable|cannot|denied|unreachable|drop|lost|reset|invalid|no route|overflow|"
    r"exceeded",
    re.IGNORECASE,
)
"""A program says these, too: such a line without a word of people stays one that is not understood."""
_WORDS_LEAST: Final = 3
_UNENDED_WORDS_LEAST: Final = 5
"""Of a sentence that no mark ends: three or four words may as well be a program's."""
_SENTENCE_WORDS: Final = 10
_SHARE_LEAST: Final = 0.6


def is_remark(line: str) -> bool:
    """Whether the line is a sentence of a person or a heading; only for lines that no format knows."""
    if (" " not in line and "*" not in line) or len(line) > _LONGEST or "\t" in line:
        return False
    if line[:4] == "    ":
        return False
    if not line.isascii() and _is_of_another_language(line):
        return True
    words = [stripped for part in line.split() if (stripped := part.strip(_MARKS).lower())]
    plain = [word for word in words if _WORD.match(word)]
    is_heading = _HEADING.match(line) is not None
    if len(plain) < (1 if is_heading else _WORDS_LEAST) or len(plain) < _SHARE_LEAST * len(words):
        return False
    if any(word in _OF_PEOPLE for word in plain):
        return True
    if not is_heading and len(plain) < _UNENDED_WORDS_LEAST and line.rstrip()[-1] not in ".:?!":
        return False
    function_words = len(_FUNCTION_WORDS.intersection(plain))
    if _FAILURES.search(line):
        return len(plain) >= _SENTENCE_WORDS and function_words >= _WORDS_LEAST
    return is_heading or function_words >= (2 if len(plain) > _WORDS_LEAST else 1)


def _is_of_another_language(line: str) -> bool:
    """Mostly letters of a script that no program prints."""
    foreign = sum(1 for letter in line if letter > "\u02af" and letter.isalpha())
    return foreign >= _SHARE_LEAST * sum(1 for letter in line if not letter.isspace())
