"""Texts for users hold the field's terms: phrases that have a standard term are listed here, and stay out."""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BANNED = {
    r"sent again|tried again|sends? it again": "retransmission, retransmitted",
    r"first packet \(SYN\)|answer \(SYN-ACK\)": "SYN, SYN-ACK",
    r"on (?:the|its) way(?: back| to)?\b|lost on the way": "path, in transit, return path",
    r"too big for the way": "path MTU black hole",
    r"\bin the middle\b": "median",
    r"st(?:ood|ands) still": "stall, stalled; of a counter: flat",
    r"SNAT tuple collision|wanted one outgoing port": "SNAT source-port collision",
    r"ports? used up|ports? run short": "SNAT port exhaustion",
    r"used again too early": "early source-port reuse",
    r"come back in groups|held answers": "batched responses, delayed responses",
    r"stopped reading|closed window": "zero window",
    r"late for their kind": "slow responses",
    r"capture point": "vantage point",
    r"resets the stranger": "RST to an unknown 5-tuple",
    r"the account closes|account of the delays": "delay attribution",
    r"can (?:this|these) captures? be trusted": "capture quality",
    r"what we look for|what was looked for": "detection rules",
    r"could not be looked for": "not checked (no data)",
    r"words of messages": "application payload",
    r"notes by people": "analyst notes",
    r"speaks? (?:for|against)": "supporting, contradicting evidence",
    r"what else (?:could it be|looks like)": "alternatives",
    r"show me one|how sure\?": "show an example, evidence",
    r"if it (?:is this|turns out)": "if confirmed",
    r"\bin vain\b|\banew\b|\bswallows?\b|\bculprit": "without success, again, drops, blocking process",
    r"the former (?:number|version|rule|value|setting|limit)": "the previous one",
    r"put again|asked again": "retried",
    r"\bcall(?:s|ed)? (?:it )?off\b": "cancel",
    r"\btak(?:e|en) apart\b": "dissect",
    r"who(?:m)? (?:a server )?asked whom|\bby shape\b|requests of one shape": "requester, endpoint, upstream call",
    r"\blistings? (?:show|of a|of the|that|alone)|no listing|\bthe one listing": "dump, or the tool's output",
    r"\b(?:asks?|asked) (?:it )?for ever\b|\bstill remembers\b|\bgoes on sending": "has an entry, keeps forwarding",
    r"own (?:work|code)\b|downstream calls?": "own processing, upstream calls",
    r"cannot tell": "undecided",
    r"later than usual": "later than the baseline",
    r"\bcalled `?progress|in wireshark's words": "named; as Wireshark shows",
    r"\btime-?outs? (?:fits|of a box)": "timeout",
}
"""Pattern -> the term to use."""
BRITISH = re.compile(
    r"\b(?:analyse[d]?|analysing|(?:anonymi|recogni|normali)s(?:e|ed|es|ing))\b", re.IGNORECASE
)
"""Not looked for in the page's sources, where names in the code are spelled so."""
NAMES = re.compile(
    r"\]\([^)]*\)|`anonymise`|entry-made-anew|anew=true|\bANEW\b|stallscope anonymise|anonymised?\.(?:tar|py)|"
    r"(?:^|[\s/])anonymise$"
)
"""Commands, files, incidents of the lab and addresses of links keep their names."""
BANNED_NAMES = {
    "told": "reported, announced, shown",
    "tells": "reports, shows",
    "wish": "options, query",
    "stumble": "TCP anomaly",
    "stumbles": "TCP anomalies",
    "stray": "un-NATed packet",
    "strays": "un-NATed packets, outliers",
    "loud": "notable",
    "alike": "identical, collapsed",
    "culprit": "blocking process",
    "culprits": "blocking processes",
    "disguise": "pseudonyms",
    "thaw": "delete snapshot",
    "guess": "attempt",
    "guesses": "rate limit",
    "workshop": "worker context",
    "gate": "auth middleware",
    "anatomy": "latency breakdown",
}
"""Word of a name in the product's code -> the term to use."""
BANNED_NOTES = {r"\b(?:told|tells|telling)\b": "reports, shows, states, distinguishes"}
"""Pattern -> the term to use, in docstrings and comments."""
OF_THE_LIBRARY = {"guess_type"}
OF_THE_PAGE = {word: term for word, term in BANNED_NAMES.items() if word != "gate"}
"""A comparison in a pipeline is a gate (Jenkins, GitLab and SonarQube call it so)."""
GUIDES = (
    "api.md",
    "architecture.md",
    "causes.md",
    "ci/README.md",
    "client.md",
    "detection.md",
    "first-use.md",
    "fuzzing.md",
    "settings.md",
)
TEXTS_OF = ("backend/forensics/detectors", "backend/forensics/diagnosis", "workers/cli")


def _literals(path: Path) -> Iterator[str]:
    """Texts of several words, without docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    notes = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in notes:
            yield node.value


def notes_in(code: str) -> Iterator[str]:
    """Docstrings and comments of Python code."""
    for node in ast.walk(ast.parse(code)):
        match node:
            case ast.Expr(ast.Constant(str() as text)):
                yield text
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


def _page_texts(path: Path) -> Iterator[str]:
    """Lines of a page's source without comments and imports."""
    code = re.sub(
        r"/\*.*?\*/|(?<!:)//[^\n]*|^import[^\n]*", "", path.read_text(encoding="utf-8"), flags=re.S | re.M
    )
    yield from (line for line in code.splitlines() if " " in line.strip())


def descriptions_in(document: object) -> Iterator[str]:
    """Descriptions and summaries of a JSON schema or of the API."""
    match document:
        case dict():
            for key, value in document.items():
                if key in ("description", "summary") and isinstance(value, str):
                    yield value
                else:
                    yield from descriptions_in(value)
        case list():
            for each in document:
                yield from descriptions_in(each)


def _descriptions() -> Iterator[tuple[str, str]]:
    for name in ("frontend/src/api/openapi.json", "docs/report.schema.json", "docs/comparison.schema.json"):
        described = json.loads((ROOT / name).read_text(encoding="utf-8"))
        yield from ((name, text) for text in descriptions_in(described))


def _documents() -> Iterator[tuple[str, str]]:
    names = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", *(f"docs/{name}" for name in GUIDES))
    for path in (*(ROOT / name for name in names), *sorted((ROOT / "docs/causes").glob("*.md"))):
        yield str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")


def _texts() -> Iterator[tuple[str, str]]:
    yield from _descriptions()
    yield from _documents()
    for folder in TEXTS_OF:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if "tests" not in path.parts:
                yield from ((str(path.relative_to(ROOT)), text) for text in _literals(path))
    for path in sorted((ROOT / "backend/forensics/detectors").glob("*/rule.md")):
        yield str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "frontend/src").rglob("*.ts*")):
        if "tests" not in path.parts and path.name not in ("schema.d.ts", "terms.ts"):
            yield from ((str(path.relative_to(ROOT)), text) for text in _page_texts(path))
    for path in sorted((ROOT / "workers/tests/golden/expected").glob("*.json")):
        yield from ((path.name, text) for text in json.loads(path.read_text(encoding="utf-8"))["words"])


def _names(tree: ast.AST) -> Iterator[str]:
    """Names that the code gives or uses: variables, parameters, attributes, functions, classes and modules."""
    for node in ast.walk(tree):
        for field in ("id", "attr", "arg", "name", "module"):
            name = getattr(node, field, None)
            if isinstance(name, str):
                yield name


def _banned(names: set[str], banned: dict[str, str]) -> list[str]:
    return [
        f"{name}: {banned[word]}"
        for name in sorted(names)
        for word in re.findall("[a-z]+", re.sub("(?<=[a-z])(?=[A-Z])", "_", name).lower())
        if word in banned
    ]


def banned_names_in(code: str) -> list[str]:
    """Each name of the Python code with a banned word in it, with the term to use."""
    return _banned(set(_names(ast.parse(code))) - OF_THE_LIBRARY, BANNED_NAMES)


def banned_page_names_in(code: str) -> list[str]:
    """The same of TypeScript: what stands in no comment and in no text that is quoted."""
    code = re.sub(r"/\*.*?\*/|(?<!:)//[^\n]*", "", code, flags=re.S)
    code = re.sub(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'", "", code)
    return _banned(set(re.findall(r"[A-Za-z_$][\w$]*", code)), OF_THE_PAGE)


def found_in(text: str) -> list[str]:
    """Each banned phrase of the text, with the term to use."""
    shown = NAMES.sub("", text)
    return [
        f"“{match[0]}”: {term}"
        for pattern, term in BANNED.items()
        if (match := re.search(pattern, shown, flags=re.IGNORECASE))
    ]


def british_in(text: str) -> list[str]:
    """Each word in British spelling."""
    return BRITISH.findall(NAMES.sub("", text))


def test_texts_for_users_hold_the_terms_of_the_field() -> None:
    wrong = [
        f"{where}: {each} in “{text.strip()[:90]}”" for where, text in _texts() for each in found_in(text)
    ]
    assert wrong == []


def test_texts_for_users_are_in_american_spelling() -> None:
    wrong = [
        f"{where}: {each} in “{text.strip()[:90]}”"
        for where, text in _texts()
        if not where.startswith("frontend/")
        for each in british_in(text)
    ]
    assert wrong == []


def test_names_in_the_code_are_the_terms_of_the_field() -> None:
    wrong = {
        str(path.relative_to(ROOT)): found
        for folder in ("backend", "workers")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if "tests" not in path.parts and (found := banned_names_in(path.read_text(encoding="utf-8")))
    }
    assert wrong == {}


def test_names_in_the_page_are_the_terms_of_the_field() -> None:
    wrong = {
        str(path.relative_to(ROOT)): found
        for path in sorted((ROOT / "frontend/src").rglob("*.ts*"))
        if "tests" not in path.parts
        and path.name != "schema.d.ts"
        and (found := banned_page_names_in(path.read_text(encoding="utf-8")))
    }
    assert wrong == {}


def test_notes_in_the_code_hold_the_terms_of_the_field() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}: {term} in “{note.strip()[:90]}”"
        for folder in ("backend", "workers")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if not {"tests", "bench"} & set(path.parts)
        for note in notes_in(path.read_text(encoding="utf-8"))
        for pattern, term in BANNED_NOTES.items()
        if re.search(pattern, note)
    ]
    assert wrong == []


def test_descriptions_are_found_at_any_depth() -> None:
    document = {
        "a": [{"description": "one"}],
        "summary": "two",
        "properties": {"description": {"title": "x"}},
    }
    assert sorted(descriptions_in(document)) == ["one", "two"]


def test_notes_are_docstrings_and_comments() -> None:
    code = '"""One."""\nx = "told"  # two\ndef f():\n    """Three."""\n'
    assert sorted(notes_in(code)) == ["# two", "One.", "Three."]


@pytest.mark.parametrize(
    ("code", "banned"),
    [
        ("const [told, setTold] = useState(null);", True),
        ("export function ThawButton() {}", True),
        ("return { isLoud };", True),
        ("<GateWord gate={gateOf(run)} />", False),
        ("const reported = 1; // as told", False),
        ('const word = "told";', False),
    ],
)
def test_both_sides_of_the_names_in_the_page(code: str, banned: bool) -> None:
    assert bool(banned_page_names_in(code)) is banned


@pytest.mark.parametrize(
    ("code", "banned"),
    [
        ("told_ms = 1", True),
        ("class TooManyGuesses: pass", True),
        ("def show(*, wish): pass", True),
        ("from backend.api.gate import origin", True),
        ("aggregate = gateway = cloud = guess_type", False),
        ("reported_ms = 1  # as told", False),
    ],
)
def test_both_sides_of_the_names(code: str, banned: bool) -> None:
    assert bool(banned_names_in(code)) is banned


@pytest.mark.parametrize(
    ("text", "banned"),
    [
        ("SYN sent again on the way to 10.0.0.1:80", True),
        ("SYN retransmissions to 10.0.0.1:80", False),
        ("writes anonymised.tar.gz", False),
        ("Analyse again", True),
        ("Re-run analysis", False),
    ],
)
def test_both_sides_of_the_list(text: str, banned: bool) -> None:
    assert bool(found_in(text) + british_in(text)) is banned
