"""The report as one CommonMark file with tables, for tickets: verdict, remedy, proof, all the evidence."""

from __future__ import annotations

from collections.abc import Sequence

from backend.forensics.cause_groups import CauseGroupPart, answers_of, group_causes
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
from backend.forensics.report_notes import NotePart
from backend.services.markdown_notes import disagreement_blocks, disagreements_with, note_blocks
from backend.services.markdown_references import References
from backend.services.markdown_text import code_block, code_span, table_of, text_of
from backend.services.name_words import name_sentence, names_in_texts
from backend.services.report_words import (
    CHECKED,
    REFERENCES_EXPLAINED,
    ROLES,
    STATUSES,
    VERDICTS,
    account_sentence,
    callees_of,
    findings_without_cause,
    group_row_cells,
    is_command,
    is_sure,
    looked_for,
    not_looked_for,
    nothing_against,
    outcome_sentence,
    parts_of,
    plain_verdict,
    remedies_without_repeats,
    remedy_title,
    size_of,
)

FRAMES_EACH = 1_000
ROWS_EACH = 200


def render_markdown(report: Report, *, page: str = "") -> str:
    """The whole report; texts from files are escaped, so they can neither format nor link.

    `page` is the investigation's address on a server: frames and lines are links to it then."""
    references = References(page)
    blocks = [f"# {text_of(report.label) or 'Investigation'}"]
    if not report.diagnoses:
        blocks.append(f"**{text_of(plain_verdict(report))}.**")
    groups = group_causes(report.diagnoses, report.destinations_total)
    for diagnosis, group in answers_of(report.diagnoses, groups):
        blocks += _diagnosis(diagnosis, group, disagreements_with(diagnosis, report.notes), references)
    if references.picture and any(part.kind == "capture" for part in report.inputs):
        blocks.append(f"[Timeline as a picture]({references.picture})")
    if report.outcomes:
        blocks += ["## Outcomes", *(f"{text_of(outcome_sentence(part))}." for part in report.outcomes)]
    blocks += _account(report, references)
    blocks += _requests(report, references)
    without_cause = findings_without_cause(report)
    if without_cause:
        blocks.append("## Also found" if report.diagnoses else "## Found")
        blocks += [
            _bullet(_finding_sentence(finding), finding.evidence, references) for finding in without_cause
        ]
    blocks += _names(report, references)
    blocks += _evidence(report.findings, references)
    blocks += _checked(report, references)
    blocks += _inputs(report.inputs)
    blocks += note_blocks(report)
    blocks.append(f"References read {text_of(REFERENCES_EXPLAINED)}.")
    blocks.append(f"Stallscope {text_of(report.tool.version)}, {text_of(report.created)}. All times are UTC.")
    return "\n\n".join(block for block in blocks if block) + "\n"


def _diagnosis(
    diagnosis: DiagnosisPart,
    group: CauseGroupPart | None,
    disagreements: Sequence[NotePart],
    references: References,
) -> list[str]:
    role, verdict = ROLES[diagnosis.role], VERDICTS[diagnosis.verdict]
    statement = f"**{text_of(diagnosis.statement)}**"
    blocks = [
        f"## {role}: {text_of(diagnosis.title)} ({verdict.lower()})",
        *(_group(group) if group is not None else []),
        f"~~{statement}~~" if disagreements else statement,
        *disagreement_blocks(disagreements),
        " · ".join(text_of(f"{figure.name} {figure.value}") for figure in diagnosis.figures),
    ]
    blocks += _remedies(diagnosis, heading="What to do") if is_sure(diagnosis) else _missing(diagnosis)
    for heading, claim_role in (("What happened", "step"), ("Supporting evidence", "for")):
        claims = [claim for claim in diagnosis.claims if claim.role == claim_role]
        blocks += (
            [f"### {heading}", _claims(claims, references, numbered=claim_role == "step")] if claims else []
        )
    against = [claim for claim in diagnosis.claims if claim.role == "against"]
    nothing = text_of(nothing_against(diagnosis))
    blocks += [
        "### Contradicting evidence",
        _claims(against, references, numbered=False) if against else nothing,
    ]
    blocks += _rivals(diagnosis)
    rest = _missing(diagnosis) if is_sure(diagnosis) else _remedies(diagnosis, heading="If confirmed")
    blocks += rest
    if diagnosis.references:
        blocks += [
            "### References",
            "\n".join(f"- {text_of(reference)}" for reference in diagnosis.references),
        ]
    return blocks


def _group(group: CauseGroupPart) -> list[str]:
    rows = [[text_of(cell) for cell in group_row_cells(row)] for row in group.rows[:ROWS_EACH]]
    table = table_of(["Destination", group.unit.capitalize(), "Time lost", "Longest"], rows)
    more = group.rows_total - ROWS_EACH
    return [f"**{text_of(group.statement)}**", table, f"and {more:,} more" if more > 0 else "", "An example:"]


def _missing(diagnosis: DiagnosisPart) -> list[str]:
    blocks = ["### Missing evidence"] if diagnosis.missing else []
    for missing in diagnosis.missing:
        blocks += [text_of(missing.what), code_block(missing.command)]
    return blocks


def _remedies(diagnosis: DiagnosisPart, *, heading: str) -> list[str]:
    blocks: list[str] = []
    for remedy in remedies_without_repeats(diagnosis.remedies):
        blocks += [f"### {heading} ({text_of(remedy.applies_to)})", *_remedy(remedy)]
    return blocks


def _remedy(remedy: RemedyPart) -> list[str]:
    changing = "Change" if remedy.changes else "Command"
    actions = (("Check", remedy.check), (changing, remedy.command or ""), ("Undo", remedy.undo))
    rows = [
        [name, text_of(value)]
        for name, value in (
            *((name, "" if is_command(action) else action) for name, action in actions),
            ("Proof", remedy.proof),
            ("Side effect", remedy.side_effect),
            ("Versions", remedy.versions or ""),
        )
        if value
    ]
    blocks = [text_of(remedy_title(remedy))]
    for name, action in actions:
        blocks += [f"{name}:", code_block(action)] if is_command(action) else []
    return [*blocks, table_of(["", ""], rows)] if rows else blocks


def _claims(claims: Sequence[ClaimPart], references: References, *, numbered: bool) -> str:
    signs = [f"{number}." if numbered else "-" for number in range(1, len(claims) + 1)]
    return "\n".join(
        f"{sign} {text_of(claim.text)}{references.of(claim.evidence, shown_each=12)}"
        for sign, claim in zip(signs, claims, strict=True)
    )


def _rivals(diagnosis: DiagnosisPart) -> list[str]:
    if not diagnosis.rivals:
        return []
    rows = [
        [
            text_of(rival.title or rival.cause),
            STATUSES[rival.status],
            text_of(rival.because),
            code_span(rival.command or ""),
        ]
        for rival in diagnosis.rivals
    ]
    header = ["Cause", "Status", "Because", "Command that decides it"]
    return ["### Alternatives", table_of(header, rows)]


def _account(report: Report, references: References) -> list[str]:
    sentence = account_sentence(report)
    if not sentence or report.account is None:
        return []
    shown = references.of(report.account.unexplained_evidence, shown_each=FRAMES_EACH)
    return ["## The account", f"{text_of(sentence)}{shown}."]


def _requests(report: Report, references: References) -> list[str]:
    requests = report.requests
    if requests is None:
        return []
    rows = [
        [
            text_of(shape.request),
            shape.basis,
            f"{shape.count:,}",
            f"{shape.total_p50_ms:,.1f}",
            f"{shape.total_p95_ms:,.1f}",
            ", ".join(f"{name} {ms:,.1f}" for name, ms in parts_of(shape)),
            text_of(callees_of(shape)),
            references.of(shape.examples, shown_each=3)[2:-1],
        ]
        for shape in requests.shapes
    ]
    header = ["Request", "Basis", "Count", "p50 (ms)", "p95 (ms)", "Of it (p50, ms)", "Asks", "Examples"]
    left_out = requests.shapes_total - len(rows)
    note = f"{left_out:,} more endpoints took less time." if left_out > 0 else ""
    return [
        "## Latency breakdown of served requests",
        text_of(requests.statement),
        table_of(header, rows),
        note,
    ]


def _finding_sentence(finding: FindingPart) -> str:
    return f"{finding.severity}: {finding.title} ({finding.kind}, {finding.count:,}). {finding.summary}"


def _names(report: Report, references: References) -> list[str]:
    names = names_in_texts(report)
    if not names:
        return []
    return [
        "## Names of addresses",
        "\n".join(
            _bullet(f"{name.address}: {name_sentence(name)}", [name.evidence], references) for name in names
        ),
    ]


def _evidence(findings: Sequence[FindingPart], references: References) -> list[str]:
    if not findings:
        return []
    rows = [
        [
            text_of(f.kind),
            text_of(f.severity),
            f"{f.count:,}",
            text_of(f.first or ""),
            text_of(f.last or ""),
            f"{f.time_lost_s:.3f}",
        ]
        for f in findings
    ]
    header = ["Finding", "Severity", "Count", "First", "Last", "Time lost (s)"]
    blocks = ["## Evidence", table_of(header, rows)]
    for finding in findings:
        blocks += [f"### {text_of(finding.title)} ({text_of(finding.kind)})", text_of(finding.summary)]
        blocks.append(
            table_of(
                ["Measure", "Value"], [[text_of(k), text_of(str(v))] for k, v in finding.measures.items()]
            )
        )
        blocks.append("\n".join(_bullet(part.note, [part], references) for part in finding.evidence))
        for table in finding.tables:
            blocks += _finding_table(table)
    return blocks


def _finding_table(table: TablePart) -> list[str]:
    header = [f"{column.name} ({column.unit})" if column.unit else column.name for column in table.columns]
    rows = [["" if cell is None else text_of(str(cell)) for cell in row] for row in table.rows[:ROWS_EACH]]
    left_out = table.rows_total - len(rows)
    note = f"{left_out:,} more rows are in the JSON report." if left_out > 0 else ""
    return [f"#### {text_of(table.name)}", table_of([text_of(name) for name in header], rows), note]


def _checked(report: Report, references: References) -> list[str]:
    rows = [[text_of(c.kind), CHECKED[c.status], text_of(c.why)] for c in looked_for(report)]
    cautions = [
        _bullet(line.text, line.evidence, references) for line in report.quality if line.status == "caution"
    ]
    blocks = ["## What was checked", table_of(["Kind", "Result", "Why"], rows)] if rows else []
    unknown = not_looked_for(report)
    blocks += [text_of(f"Not in this version: {', '.join(unknown)}.")] if unknown else []
    return [*blocks, "## Capture quality", "\n".join(cautions)] if cautions else blocks


def _inputs(inputs: Sequence[InputPart]) -> list[str]:
    if not inputs:
        return []
    rows = [
        [
            text_of(part.name),
            text_of(part.format),
            size_of(part),
            text_of(part.host or ""),
            code_span(part.sha256),
        ]
        for part in inputs
    ]
    return ["## What was read", table_of(["Input", "Format", "Size", "Host", "SHA-256"], rows)]


def _bullet(text: str, evidence: Sequence[EvidencePart], references: References) -> str:
    return f"- {text_of(text)}{references.of(evidence, shown_each=FRAMES_EACH)}"
