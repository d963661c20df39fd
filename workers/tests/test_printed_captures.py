"""What tcpdump prints of a capture is judged as the capture is, or not at all."""

import shutil
from pathlib import Path

import pytest

from workers.tests.printed_captures import OPTIONS, PAGE, REPOSITORY, Case, Printed, cases, compare, page

DEMOS = REPOSITORY / "backend" / "demo"
REST_ON_PAYLOAD = ("credential-refresh-storm",)
"""tcpdump prints no requests with the options that the long test uses."""
TRUE_OF_PACKETS = {"more-cpu-quota/all": {"slow-server"}}
"""Without a date cpu.stat cannot be joined to the packets, which show the slow server all the same."""

pytestmark = pytest.mark.skipif(shutil.which("tcpdump") is None, reason="tcpdump is not installed")


@pytest.mark.parametrize("name", ["snat-race-healthy", "rx-backlog"])
def test_a_printed_demonstration_is_judged_as_the_capture_is(name: str) -> None:
    files = tuple(path for path in sorted((DEMOS / name).iterdir()) if path.suffix != ".json")
    (found,) = compare(Case(name, tuple(path for path in files if ".pcap" in path.name)), OPTIONS[:1])
    assert found.same, found
    assert not found.false, found


@pytest.mark.long
def test_printed_incidents_are_judged_as_their_captures_are(extra_captures: Path) -> None:
    found = [each for case in cases(extra_captures / "lab") for each in compare(case, OPTIONS[:1])]
    assert [each for each in found if set(each.false) - TRUE_OF_PACKETS.get(each.case, set())] == []
    seen = [each for each in found if not set(each.captured[:1]) & set(REST_ON_PAYLOAD)]
    assert sum(each.same for each in seen) >= 0.9 * len(seen), [each for each in seen if not each.same]


def test_the_page_counts_and_lists_what_differs() -> None:
    same = Printed("a", "-nn", ("path-loss",), ("path-loss",))
    missed = Printed("b", "-nn", ("path-mtu",), ())
    false = Printed("c", "-nn", (), ("host-stall",))
    written = page([same, missed, false])
    assert "| `-nn` | 3 | 1 | 1 | 1 |" in written
    assert "| b | `-nn` | `path-mtu` | none |" in written
    assert "| c | `-nn` | none | `host-stall` |" in written
    assert "| a |" not in written


def test_the_page_was_written_by_these_options() -> None:
    rows = [line.split("|") for line in PAGE.read_text().splitlines() if line.startswith("| `-")]
    assert rows
    assert {row[1].strip(" `") for row in rows} <= set(OPTIONS)
