import re

from backend.services.render_markdown import render_markdown
from workers.cli.tests.reports import collision_report, empty_report, served_report

MARKUP = "`|*<b>[x](javascript:y)![i](z)\x1b\n# h\n"


def test_verdict_statement_and_remedy_come_first() -> None:
    text = render_markdown(collision_report())
    order = [
        "## Loss: SNAT tuple collision (confirmed)",
        "**29 of 600",
        "### What to do",
        "### What happened",
        "## Evidence",
    ]
    positions = [text.index(part) for part in order]
    assert positions == sorted(positions)


def test_every_frame_and_line_of_the_evidence_is_there() -> None:
    text = render_markdown(collision_report())
    assert "`any.pcap#3130 #3131`" in text
    assert "`S.txt:1 :2`" in text
    assert "8 more rows are in the JSON report." in text


def test_every_row_of_a_table_has_as_many_cells_as_its_header() -> None:
    for text in (render_markdown(collision_report(hostile=MARKUP)), render_markdown(empty_report())):
        for table in re.findall(r"(?:^\|.*\|\n?)+", text, flags=re.MULTILINE):
            cells = [len(re.findall(r"(?<!\\)\|", row)) for row in table.strip().split("\n")]
            assert len(set(cells)) == 1


def test_texts_from_files_can_neither_format_nor_link() -> None:
    text = render_markdown(collision_report(hostile=MARKUP))
    prose = re.sub(r"(?s)```.*?```|`+[^`\n]*`+", "", text)
    assert not re.search(r"(?<!\\)<b>", prose)
    assert not re.search(r"(?<!\\)\]\(", prose.replace("\\]", ""))
    assert "\n# h" not in prose
    assert "\x1b" not in text


def test_a_clean_report_lists_what_was_looked_for() -> None:
    text = render_markdown(empty_report())
    assert "**Looked for in these inputs, and not there: syn-retransmission.**" in text
    assert "healthy" not in text.lower()


def test_served_requests_are_a_table_by_shape() -> None:
    text = render_markdown(served_report(hostile=MARKUP))
    section = text[text.index("## What served requests consist of") :].split("\n\n")
    assert section[1].startswith("Of the 3,865 ms that 60 served requests took, metadata calls cost most")
    rows = section[2].split("\n")
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {9}
    assert (
        "| seen | 53 | 70.9 | 1,082.2 | metadata 51.1, calls 14.8, own work 3.4 | credentials ×2 |" in rows[2]
    )
    assert section[3] == "19 more shapes took less time."
    assert "What served requests" not in render_markdown(empty_report())
