import pytest

from workers.decode.dumps.stated_times import epoch_time_ns, is_only_a_time, stated_time_ns

AT_NS = 1_795_222_702 * 10**9


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-21T00:58:22Z",
        "2026-11-21 00:58:22",
        "2026-11-21T00:58:22+00:00",
        "2026-11-21T02:58:22+0200",
        "2026-11-20T19:58:22-05:00",
        "Sat Nov 21 00:58:22 UTC 2026",
        "Sat Nov 21 00:58:22 2026",
        "Sat Nov 21 12:58:22 AM UTC 2026",
        "Sat 21 Nov 2026 12:58:22 AM UTC",
        "Sat, 21 Nov 2026 00:58:22 +0000",
        "Sat Nov 21 01:58:22 CET 2026",
    ],
)
def test_one_moment_in_every_way_of_writing(text: str) -> None:
    assert stated_time_ns(text) == AT_NS
    assert is_only_a_time(text)


def test_fractions_are_kept_to_the_nanosecond() -> None:
    assert stated_time_ns("2026-11-21T00:58:22.123456789Z") == AT_NS + 123_456_789
    assert epoch_time_ns("1795222702.000000001") == AT_NS + 1


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2026-13-21T00:58:22Z",
        "2026-02-30T00:58:22Z",
        "2026-11-21T25:58:22Z",
        "Sat Nov 21 00:58:22 CST 2026",
        "2026-11-21T00:58:22Zebra",
        "9999-12-31T23:59:59Z",
        "0001-01-01T00:00:00+23:59",
        "2026-11-21T00:58:22+99:99",
    ],
)
def test_what_is_no_time_or_could_be_two_is_none(text: str) -> None:
    assert stated_time_ns(text) is None
    assert not is_only_a_time(text)
