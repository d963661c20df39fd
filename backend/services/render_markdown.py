"""The report as one CommonMark file with tables, for tickets: verdict, remedy, proof, all the evidence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from backend.forensics.report import (
    ClaimPart,
    DiagnosisPart,
    EvidencePart,
    FindingPart,
    InputPart,
    RemedyPart,
    Report,
    TablePart,
)
from backend.services.report_words import (
    CHECKED,
    REFERENCES_EXPLAINED,
    ROLES,
    STATUSES,
    VERDICTS,
    account_sentence,
    findings_without_cause,
    is_command,
    is_sure,
    looked_for,
    not_looked_for,
    nothing_against,
    plain_verdict,
    references_of,
    remedies_without_repeats,
    size_of,
)

FRAMES_EACH = 1_000
ROWS_EACH = 200

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&!$])")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")
_LIST_START = re.compile(r"^(\s*)([-+=]|\d{1,9}[.)])")


def render_markdown(report: Report) -> str:
    """The whole report; texts from files are escaped, so they can neither format nor link."""
    blocks = [f"# {_text(report.label) or 'Investigation'}"]
    if not report.diagnoses:
        blocks.append(f"**{_text(plain_verdict(report))}.**")
    for diagnosis in report.diagnoses:
        blocks += _diagnosis(diagnosis)
    blocks += _account(report)
    without_cause = findings_without_cause(report)
    if without_cause:
        blocks.append("## Also found" if report.diagnoses else "## Found")
        blocks += [_bullet(_finding_sentence(finding), finding.evidence) for finding in without_cause]
    blocks += _evidence(report.findings)
    blocks += _checked(report)
    blocks += _inputs(report.inputs)
    blocks.append(f"References read {_text(REFERENCES_EXPLAINED)}.")
    blocks.append(f"Stallscope {_text(report.tool.version)}, {_text(report.created)}. All times are UTC.")
    return "\n\n".join(block for block in blocks if block) + "\n"


def _diagnosis(diagnosis: DiagnosisPart) -> list[str]:
    role, verdict = ROLES[diagnosis.role], VERDICTS[diagnosis.verdict]
    blocks = [
        f"## {role}: {_text(diagnosis.title)} ({verdict.lower()})",
        f"**{_text(diagnosis.statement)}**",
        " · ".join(
            _text(f"{figure.get('name', '')} {figure.get('value', '')}") for figure in diagnosis.figures
        ),
    ]
    blocks += _remedies(diagnosis, heading="What to do") if is_sure(diagnosis) else _missing(diagnosis)
    for heading, claim_role in (("What happened", "step"), ("What speaks for it", "for")):
        claims = [claim for claim in diagnosis.claims if claim.role == claim_role]
        blocks += [f"### {heading}", _claims(claims, numbered=claim_role == "step")] if claims else []
    against = [claim for claim in diagnosis.claims if claim.role == "against"]
    nothing = _text(nothing_against(diagnosis))
    blocks += ["### What speaks against it", _claims(against, numbered=False) if against else nothing]
    blocks += _rivals(diagnosis)
    rest = _missing(diagnosis) if is_sure(diagnosis) else _remedies(diagnosis, heading="If it is this")
    blocks += rest
    if diagnosis.references:
        blocks += ["### References", "\n".join(f"- {_text(reference)}" for reference in diagnosis.references)]
    return blocks


def _missing(diagnosis: DiagnosisPart) -> list[str]:
    blocks = ["### What would make it certain"] if diagnosis.missing else []
    for missing in diagnosis.missing:
        blocks += [_text(missing.what), _command(missing.command)]
    return blocks


def _remedies(diagnosis: DiagnosisPart, *, heading: str) -> list[str]:
    blocks: list[str] = []
    for remedy in remedies_without_repeats(diagnosis.remedies):
        blocks += [f"### {heading} ({_text(remedy.applies_to)})", *_remedy(remedy)]
    return blocks


def _remedy(remedy: RemedyPart) -> list[str]:
    rows = [
        [name, _text(value)]
        for name, value in (
            ("Undo", "" if is_command(remedy.undo) else remedy.undo),
            ("Proof", remedy.proof),
            ("Side effect", remedy.side_effect),
            ("Versions", remedy.versions or ""),
        )
        if value
    ]
    blocks = [_text(remedy.what)]
    undo = remedy.undo if is_command(remedy.undo) else ""
    for name, command in (("Check", remedy.check), ("Change", remedy.command), ("Undo", undo)):
        blocks += [f"{name}:", _command(command)] if command else []
    return [*blocks, _table(["", ""], rows)] if rows else blocks


def _claims(claims: Sequence[ClaimPart], *, numbered: bool) -> str:
    signs = [f"{number}." if numbered else "-" for number in range(1, len(claims) + 1)]
    return "\n".join(
        f"{sign} {_text(claim.text)}{_references(claim.evidence, shown_each=12)}"
        for sign, claim in zip(signs, claims, strict=True)
    )


def _rivals(diagnosis: DiagnosisPart) -> list[str]:
    if not diagnosis.rivals:
        return []
    rows = [
        [
            _text(rival.title or rival.cause),
            STATUSES[rival.status],
            _text(rival.because),
            _code(rival.command or ""),
        ]
        for rival in diagnosis.rivals
    ]
    header = ["Cause", "Status", "Because", "Command that would tell"]
    return ["### What else looks like this", _table(header, rows)]


def _account(report: Report) -> list[str]:
    sentence = account_sentence(report)
    if not sentence or report.account is None:
        return []
    shown = _references(report.account.unexplained_evidence, shown_each=FRAMES_EACH)
    return ["## The account", f"{_text(sentence)}{shown}."]


def _finding_sentence(finding: FindingPart) -> str:
    return f"{finding.severity}: {finding.title} ({finding.kind}, {finding.count:,}). {finding.summary}"


def _evidence(findings: Sequence[FindingPart]) -> list[str]:
    if not findings:
        return []
    rows = [
        [
            _text(f.kind),
            _text(f.severity),
            f"{f.count:,}",
            _text(f.first or ""),
            _text(f.last or ""),
            f"{f.time_lost_s:.3f}",
        ]
        for f in findings
    ]
    header = ["Finding", "Severity", "Count", "First", "Last", "Time lost (s)"]
    blocks = ["## Evidence", _table(header, rows)]
    for finding in findings:
        blocks += [f"### {_text(finding.title)} ({_text(finding.kind)})", _text(finding.summary)]
        blocks.append(
            _table(["Measure", "Value"], [[_text(k), _text(str(v))] for k, v in finding.measures.items()])
        )
        blocks.append("\n".join(_bullet(part.note, [part]) for part in finding.evidence))
        for table in finding.tables:
            blocks += _finding_table(table)
    return blocks


def _finding_table(table: TablePart) -> list[str]:
    header = [f"{column.name} ({column.unit})" if column.unit else column.name for column in table.columns]
    rows = [["" if cell is None else _text(str(cell)) for cell in row] for row in table.rows[:ROWS_EACH]]
    left_out = table.rows_total - len(rows)
    note = f"{left_out:,} more rows are in the JSON report." if left_out > 0 else ""
    return [f"#### {_text(table.name)}", _table([_text(name) for name in header], rows), note]


def _checked(report: Report) -> list[str]:
    rows = [[_text(c.kind), CHECKED[c.status], _text(c.why)] for c in looked_for(report)]
    cautions = [_bullet(line.text, line.evidence) for line in report.quality if line.status == "caution"]
    blocks = ["## What was checked", _table(["Kind", "Result", "Why"], rows)] if rows else []
    unknown = not_looked_for(report)
    blocks += [_text(f"This version does not look for: {', '.join(unknown)}.")] if unknown else []
    return [*blocks, "## Can these captures be trusted?", "\n".join(cautions)] if cautions else blocks


def _inputs(inputs: Sequence[InputPart]) -> list[str]:
    if not inputs:
        return []
    rows = [
        [_text(part.name), _text(part.format), size_of(part), _text(part.host or ""), _code(part.sha256)]
        for part in inputs
    ]
    warnings = [
        _bullet(f"{part.name}: {warning}", [])
        for part in inputs
        for warning in (*part.warnings, *([part.error] if part.error else []))
    ]
    table = _table(["Input", "Format", "Size", "Host", "SHA-256"], rows)
    return ["## What was read", table, "\n".join(warnings)]


def _bullet(text: str, evidence: Sequence[EvidencePart]) -> str:
    return f"- {_text(text)}{_references(evidence, shown_each=FRAMES_EACH)}"


def _references(evidence: Sequence[EvidencePart], *, shown_each: int) -> str:
    texts = references_of(evidence, shown_each=shown_each)
    return f" ({', '.join(_code(text) for text in texts)})" if texts else ""


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _text(text: str) -> str:
    """Plain words: nothing in them is markup, on one line."""
    escaped = _SPECIAL.sub(r"\\\1", _CONTROL.sub(" ", text)).strip()
    return _LIST_START.sub(lambda match: f"{match[1]}{match[2][:-1]}\\{match[2][-1]}", escaped)


def _code(text: str) -> str:
    """Text in a code span that also holds inside a table cell."""
    bare = _CONTROL.sub(" ", text).strip()
    if not bare:
        return ""
    fence = "`" * (max((len(run) for run in re.findall("`+", bare)), default=0) + 1)
    padding = " " if bare.startswith("`") or bare.endswith("`") else ""
    return f"{fence}{padding}{bare.replace('|', chr(92) + '|')}{padding}{fence}"


def _command(command: str) -> str:
    lines = [_CONTROL.sub(" ", line) for line in command.splitlines()]
    fence = "`" * max(3, *(len(run) + 1 for run in re.findall("`+", command)), 3)
    return "\n".join([f"{fence}sh", *lines, fence])
