"""The report as a person reads it on a terminal: the verdict first, then what to do, then the proof."""

from __future__ import annotations

from collections.abc import Sequence

from backend.forensics.cause_groups import CauseGroupPart, answers_of, group_causes
from backend.forensics.report import DiagnosisPart, InputPart, RemedyPart, Report, RequestShapePart
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
    group_row_words,
    is_command,
    is_sure,
    looked_for,
    not_looked_for,
    nothing_against,
    outcome_sentence,
    parts_of,
    plain_verdict,
    references_of,
    remedies_without_repeats,
    remedy_title,
    size_of,
)
from workers.cli.terminal_page import Page
from workers.cli.terminal_text import Paint, visible

_VERDICT_STYLES = {
    "confirmed": ("bold", "red"),
    "likely": ("bold", "red"),
    "possible": ("bold", "yellow"),
    "cannot-tell": ("bold",),
}


ROWS_SHOWN = 10
"""Destinations of one cause."""
SHAPES_SHOWN = 10
"""Of the latency breakdown of requests; the other outputs hold more."""


def render_terminal(report: Report, *, width: int, colour: bool) -> str:
    """The whole report as text, with a final line end; nothing in it can steer the terminal."""
    page = Page(width, Paint(colour=colour))
    if not report.diagnoses:
        _no_diagnosis(page, report)
    groups = group_causes(report.diagnoses, report.destinations_total)
    for number, (diagnosis, group) in enumerate(answers_of(report.diagnoses, groups)):
        if number:
            page.rule()
        if number and diagnosis.verdict == "cannot-tell":
            _undecided(page, diagnosis, group)
        else:
            _diagnosis(page, diagnosis, group)
    _outcomes(page, report)
    _account(page, report)
    _requests(page, report)
    _findings_without_cause(page, report)
    _names(page, report)
    _quality(page, report)
    _checked(page, report)
    _inputs(page, report.inputs)
    return "\n".join(page.lines) + "\n"


def _names(page: Page, report: Report) -> None:
    names = names_in_texts(report)
    if names:
        page.heading("Names of addresses")
    for name in names:
        page.text(f"{name.address}: {name_sentence(name)}")
        page.proof([name.evidence], indent="    ")


def _no_diagnosis(page: Page, report: Report) -> None:
    failed = any(part.failed or part.slow for part in report.outcomes)
    word = "NO CAUSE" if report.findings or failed else "NOTHING FOUND"
    page.headline(word, f"{plain_verdict(report)}.", "bold")


def _undecided(page: Page, diagnosis: DiagnosisPart, group: CauseGroupPart | None) -> None:
    """Beside an answer: what it rests on and what would decide it, no steps and no remedy."""
    _title(page, diagnosis, group)
    _evidence(page, diagnosis)
    _missing(page, diagnosis, heading="Missing evidence")


def _diagnosis(page: Page, diagnosis: DiagnosisPart, group: CauseGroupPart | None) -> None:
    _title(page, diagnosis, group)
    if is_sure(diagnosis):
        _remedies(page, diagnosis, heading="Do now")
    else:
        _missing(page, diagnosis, heading="Do now, to find out")
    _steps(page, diagnosis)
    _evidence(page, diagnosis)
    _rivals(page, diagnosis)
    if is_sure(diagnosis):
        _missing(page, diagnosis, heading="Missing evidence")
    else:
        _remedies(page, diagnosis, heading="If confirmed")
    if diagnosis.references:
        page.heading("Read more")
        for reference in diagnosis.references:
            page.lines.append(f"  {visible(reference)}")


def _title(page: Page, diagnosis: DiagnosisPart, group: CauseGroupPart | None) -> None:
    word = VERDICTS[diagnosis.verdict].upper()
    page.headline(word, f"{ROLES[diagnosis.role]}: {diagnosis.title}", *_VERDICT_STYLES[diagnosis.verdict])
    if group is not None:
        _group(page, group)
    page.text(diagnosis.statement, first="")
    figures = " · ".join(f"{figure.name} {figure.value}" for figure in diagnosis.figures)
    if figures:
        page.text(figures)


def _group(page: Page, group: CauseGroupPart) -> None:
    page.text(group.statement, first="")
    for row in group.rows[:ROWS_SHOWN]:
        page.text(group_row_words(row))
    if group.rows_total > ROWS_SHOWN:
        page.text(f"and {group.rows_total - ROWS_SHOWN:,} more")
    page.heading("An example")


def _missing(page: Page, diagnosis: DiagnosisPart, *, heading: str) -> None:
    if diagnosis.missing:
        page.heading(heading)
    for missing in diagnosis.missing:
        page.text(missing.what, first="  ? ")
        page.command(missing.command, indent=4)


def _remedies(page: Page, diagnosis: DiagnosisPart, *, heading: str) -> None:
    for number, remedy in enumerate(remedies_without_repeats(diagnosis.remedies)):
        page.heading(f"{'Or' if number else heading} ({remedy.applies_to})")
        _remedy(page, remedy)


def _remedy(page: Page, remedy: RemedyPart) -> None:
    page.text(remedy_title(remedy))
    changing = "change" if remedy.changes else "command"
    for label, action in (("check", remedy.check), (changing, remedy.command or ""), ("undo", remedy.undo)):
        if is_command(action):
            page.command(action, label=label)
        else:
            page.labelled(label, action)
    page.labelled("proof", remedy.proof)
    page.labelled("side effect", remedy.side_effect)
    page.labelled("versions", remedy.versions or "")


def _steps(page: Page, diagnosis: DiagnosisPart) -> None:
    steps = [claim for claim in diagnosis.claims if claim.role == "step"]
    if steps:
        page.heading("What happened", note=REFERENCES_EXPLAINED)
    for number, claim in enumerate(steps, 1):
        page.text(claim.text, first=f"  {number}. ")
        page.proof(claim.evidence, indent="     ")


def _evidence(page: Page, diagnosis: DiagnosisPart) -> None:
    supporting = [claim for claim in diagnosis.claims if claim.role == "for"]
    against = [claim for claim in diagnosis.claims if claim.role == "against"]
    if supporting:
        page.heading("Supporting evidence")
    for claim in supporting:
        page.text(claim.text, first="  + ")
        page.proof(claim.evidence, indent="    ")
    page.heading("Contradicting evidence")
    for claim in against:
        page.text(claim.text, first="  - ")
        page.proof(claim.evidence, indent="    ")
    if not against:
        page.text(nothing_against(diagnosis))


def _rivals(page: Page, diagnosis: DiagnosisPart) -> None:
    if diagnosis.rivals:
        page.heading("Alternatives")
    for rival in diagnosis.rivals:
        page.labelled(STATUSES[rival.status], f"{rival.title or rival.cause}: {rival.because}")
        page.command(rival.command)


def _outcomes(page: Page, report: Report) -> None:
    if report.outcomes:
        page.heading("Outcomes")
    for part in report.outcomes:
        page.text(f"{outcome_sentence(part)}.")
        page.proof([e for line in part.by_outcome if line.failed for e in line.evidence], indent="  ")
        page.proof(part.slowest, indent="  ")


def _account(page: Page, report: Report) -> None:
    sentence = account_sentence(report)
    if sentence and report.account is not None:
        page.heading("Delay attribution")
        page.text(f"{sentence}.")
        page.proof(report.account.unexplained_evidence, indent="  ")


def _requests(page: Page, report: Report) -> None:
    if report.requests is None:
        return
    page.heading("Latency breakdown of served requests", note="medians")
    page.text(report.requests.statement)
    for shape in report.requests.shapes[:SHAPES_SHOWN]:
        _shape(page, shape)
    left_out = report.requests.shapes_total - SHAPES_SHOWN
    if left_out > 0:
        page.text(f"{left_out:,} more shapes, which took less time: see --markdown or --json.")


def _shape(page: Page, shape: RequestShapePart) -> None:
    inferred = ", inferred" if shape.basis == "inferred" else ""
    times = f"{shape.count:,}×{inferred}, p50 {shape.total_p50_ms:,.1f} ms, p95 {shape.total_p95_ms:,.1f} ms"
    page.text(f"{shape.request} ({times})", first="  * ", following="    ")
    parts = ", ".join(f"{name} {ms:,.1f} ms" for name, ms in parts_of(shape))
    asks = callees_of(shape)
    page.text(f"{parts}{f'; calls {asks}' if asks else ''}", first="    ")
    examples = [
        f"{reference} ({part.note})" for part in shape.examples for reference in references_of([part])
    ]
    page.text(f"examples: {', '.join(examples)}", first="    ")


def _findings_without_cause(page: Page, report: Report) -> None:
    findings = findings_without_cause(report)
    if findings:
        page.heading("Also found" if report.diagnoses else "Found")
    for finding in findings:
        page.text(f"{finding.severity}: {finding.title} ({finding.kind}, {finding.count:,})", first="  * ")
        page.text(finding.summary, first="    ")
        page.proof(finding.evidence, indent="    ")


def _quality(page: Page, report: Report) -> None:
    cautions = [line for line in report.quality if line.status == "caution"]
    if cautions:
        page.heading("Capture quality")
    for line in cautions:
        page.text(line.text, first="  ! ")
        page.proof(line.evidence, indent="    ")


def _checked(page: Page, report: Report) -> None:
    if report.checked:
        page.heading("Detection rules checked")
    for checked in looked_for(report):
        page.text(
            f"{checked.kind}: {CHECKED[checked.status]}. {checked.why}".rstrip(". ") + ".", following="    "
        )
    unknown = not_looked_for(report)
    if unknown:
        page.text(f"Not in this version: {', '.join(unknown)}.", following="    ")


def _inputs(page: Page, inputs: Sequence[InputPart]) -> None:
    if inputs:
        page.heading("What was read")
    for part in inputs:
        page.text(f"{part.name}: {part.format}, {size_of(part)}")
