"""The forms in which commands write a report or a comparison."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from backend.forensics.comparison.result import Comparison
from backend.forensics.report import Report
from workers.cli.report_files import Output

FORMS = ("json", "junit", "sarif", "markdown")


def report_outputs(report: Report, paths: Mapping[str, str | None], *, page: str = "") -> list[Output]:
    """By form: where it goes, and how it is made; `page` is its address on a server, for links to evidence."""
    from backend.services.render_junit import render_report_junit
    from backend.services.render_markdown import render_markdown
    from backend.services.render_sarif import render_report_sarif

    return _outputs(
        paths,
        {
            "json": lambda: report.model_dump_json(by_alias=True, indent=2) + "\n",
            "junit": lambda: render_report_junit(report),
            "sarif": lambda: render_report_sarif(report),
            "markdown": lambda: render_markdown(report, page=page),
        },
    )


def comparison_outputs(comparison: Comparison, paths: Mapping[str, str | None]) -> list[Output]:
    """The same of a comparison."""
    from backend.services.render_comparison import render_comparison
    from backend.services.render_junit import render_comparison_junit
    from backend.services.render_sarif import render_comparison_sarif

    return _outputs(
        paths,
        {
            "json": lambda: comparison.model_dump_json(by_alias=True, indent=2) + "\n",
            "junit": lambda: render_comparison_junit(comparison),
            "sarif": lambda: render_comparison_sarif(comparison),
            "markdown": lambda: render_comparison(comparison),
        },
    )


def _outputs(paths: Mapping[str, str | None], made: Mapping[str, Callable[[], str]]) -> list[Output]:
    return [Output(f"--{form}", paths.get(form), made[form]) for form in FORMS]
