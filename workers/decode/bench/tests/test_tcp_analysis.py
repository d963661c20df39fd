"""Our marks of TCP segments against tshark's: every difference has its reason."""

import os
import shutil
from pathlib import Path

import pytest

from workers.decode.bench.tcp_analysis import as_markdown, compare
from workers.decode.bench.tcp_differences import BOTH, OURS, THEIRS, all_segments, segments
from workers.decode.bench.tcp_verdicts import UNEXPLAINED

_SAMPLE = Path(__file__).parents[2] / "tests" / "samples" / "closed-window.pcap"
_EXTRA = os.environ.get("STALLSCOPE_EXTRA_CAPTURES", "")
_LAB = ("healthy-data-loss", "healthy-synack-loss", "formats")

pytestmark = pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")


def test_a_connection_whose_window_closes(tmp_path: Path) -> None:
    comparison = compare(segments(_SAMPLE, "closed-window.pcap", tmp_path))
    both = {flag: count for (flag, side), count in comparison.counts.items() if side == BOTH}
    assert both == {
        "retransmission": 1,
        "zero window": 3,
        "window full": 10,
        "window update": 1,
        "keep-alive": 5,
        "answer to keep-alive or probe": 2,
    }
    differ = {key: count for key, count in comparison.counts.items() if key[1] != BOTH}
    assert differ == {("zero window probe", OURS): 3, ("answer to keep-alive or probe", OURS): 2}
    assert not [reason for _, _, reason in comparison.reasons if reason == UNEXPLAINED]
    assert "| zero window | 3 | 0 | 0 | closed-window.pcap#15 |" in as_markdown(comparison, "tshark")


@pytest.mark.skipif(not _EXTRA, reason="STALLSCOPE_EXTRA_CAPTURES names no folder of captures")
@pytest.mark.long
def test_every_difference_on_other_peoples_captures_is_explained(tmp_path: Path) -> None:
    folders = [Path(_EXTRA) / "public", *(Path(_EXTRA) / "lab" / name for name in _LAB)]
    comparison = compare(all_segments(folders, tmp_path))
    assert comparison.segments > 5_000
    assert {side for _, side in comparison.counts} == {BOTH, OURS, THEIRS}
    unexplained = {key: comparison.examples[key] for key in comparison.reasons if key[2] == UNEXPLAINED}
    assert unexplained == {}
