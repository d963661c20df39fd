"""What a packet or a file is called must not become a formula in somebody's spreadsheet (OWASP, CSV injection)."""

import csv
import io

import pytest

from backend.services.export_packets import guarded


@pytest.mark.parametrize(
    "text",
    [
        "=HYPERLINK(\"http://evil.example\")", "+1+cmd|' /C calc'!A0", "-2+3+cmd|' /C calc'!A0", "@SUM(1+9)",
        "\t=1+1", "\r=1+1", "\n=1+1", "=", "+", "-", "@", "＝1+1", "＋1", "－1+1", "＠SUM(1)",
    ],
)  # fmt: skip
def test_a_text_that_a_spreadsheet_would_reckon_with_stays_a_text(text: str) -> None:
    shown = io.StringIO()
    csv.writer(shown).writerow(["before", guarded(text)])
    [[_, cell]] = csv.reader(io.StringIO(shown.getvalue(), newline=""))
    assert cell == f"'{text}"


@pytest.mark.parametrize(
    "value", ["10.0.0.1:80", "-1.5", "+0.25", "1e-9", "", "GET /a=b", "a@b", 7, None, "SYN ACK"]
)
def test_everything_else_is_as_it_was(value: object) -> None:
    assert guarded(value) == value
