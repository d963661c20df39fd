import re
from urllib.parse import unquote

from backend.forensics.report import EvidencePart
from backend.services.markdown_references import LINKED_EACH, References, line_runs
from backend.services.render_markdown import render_markdown
from workers.cli.tests.reports import collision_report, empty_report, served_report

MARKUP = "`|*<b>[x](javascript:y)![i](z)\x1b\n# h\n"


def test_verdict_statement_and_remedy_come_first() -> None:
    text = render_markdown(collision_report())
    order = [
        "## Loss: SNAT source-port collision (confirmed)",
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


def test_on_a_server_every_claim_links_to_its_frames_and_lines() -> None:
    report = collision_report(hostile=MARKUP, against=True)
    page = "http://127.0.0.1:8000/i/3f2a"
    text = render_markdown(report, page=page)
    prose = re.sub(r"(?s)```.*?```|`+[^`\n]*`+", "", text)
    found = {
        unquote(place) for place in re.findall(r"\]\(" + re.escape(page) + r"\?evidence=([^\s()]+)\)", prose)
    }
    # Nothing else is a link, and nothing is markup that CommonMark and its tables lack.
    assert len(re.findall(r"(?<!\\)\]\(", prose)) == len(re.findall(r"\]\(" + re.escape(page), prose))
    assert not re.search(r"(?<!\\)<[a-z]", prose)
    wanted = set()
    for claim in (claim for diagnosis in report.diagnoses for claim in diagnosis.claims):
        for part in claim.evidence:
            wanted |= {f"{part.input}#f{frame}" for frame in part.frames[:LINKED_EACH]}
            wanted |= {
                f"{part.input}#l{first}" + (f"-{last}" if last > first else "")
                for first, last in line_runs(part.lines)[:LINKED_EACH]
            }
    assert wanted
    assert wanted <= found


def test_the_timeline_is_linked_where_a_page_of_one_s_own_shows_it() -> None:
    address = "http://127.0.0.1:8000/api/v1/investigations/3f2a/timeline.svg"
    pages = ["http://127.0.0.1:8000/i/3f2a", "http://127.0.0.1:8000/s/3f2a", ""]
    texts = [render_markdown(empty_report(), page=page) for page in pages]
    assert ["timeline.svg" in text for text in texts] == [True, False, False]
    assert f"[Timeline as a picture]({address})" in texts[0]
    # Of listings alone there is no timeline.
    assert "timeline.svg" not in render_markdown(collision_report(), page=pages[0])


def test_a_thousand_frames_are_not_a_thousand_links() -> None:
    many = EvidencePart(input="a (1).pcap", frames=list(range(1, 1001)), lines=[4, 5, 6, 9])
    text = References("http://h/i/3f").of([many], shown_each=20)
    assert text.startswith(" (`a (1).pcap` [#1](http://h/i/3f?evidence=a%20%281%29.pcap%23f1) ")
    assert text.count("#f") == 0
    assert text.count("%23f") == LINKED_EACH
    assert " `#13 #14 #15 #16 #17 #18 #19 #20` and 980 more, " in text
    assert text.endswith(
        "[:4–6](http://h/i/3f?evidence=a%20%281%29.pcap%23l4-6) [:9](http://h/i/3f?evidence=a%20%281%29.pcap%23l9))"
    )


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
    assert "**Checked on these inputs, none found: syn-retransmission.**" in text
    assert "healthy" not in text.lower()


def test_served_requests_are_a_table_by_shape() -> None:
    text = render_markdown(served_report(hostile=MARKUP))
    section = text[text.index("## Latency breakdown of served requests") :].split("\n\n")
    assert section[1].startswith("Of the 3,865 ms that 60 served requests took, metadata calls cost most")
    rows = section[2].split("\n")
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {9}
    assert (
        "| seen | 53 | 70.9 | 1,082.2 | metadata 51.1, upstream calls 14.8, own processing 3.4 | credentials ×2 |"
        in rows[2]
    )
    assert section[3] == "19 more endpoints took less time."
    assert "What served requests" not in render_markdown(empty_report())
