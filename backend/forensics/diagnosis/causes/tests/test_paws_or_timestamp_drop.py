"""SYNs with an older time stamp than the last from their address are ignored."""

from __future__ import annotations

from backend.forensics.diagnosis.causes.tests.build_losses import (
    SERVER,
    Losses,
    confidence,
    diagnosis,
    nstat,
    sysctl,
)

CAUSE = "paws-or-timestamp-drop"


def behind_one_address(ignored: int = 8, usual: int = 20) -> Losses:
    """The usual ones carry the clock of T0, the others one that is far behind; all come from one address."""
    capture = Losses("eth0")
    for _ in range(ignored):
        capture.usual(SERVER, usual // ignored)
        capture.late(SERVER, 1, stamp=1_000)
    return capture


def test_the_setting_and_the_counter_make_it_sure() -> None:
    capture = behind_one_address().build()
    dumps = [sysctl(net__ipv4__tcp_tw_recycle="1"), *nstat(TcpExtPAWSPassive=9)]
    found = diagnosis(CAUSE, capture, *dumps)
    assert found is not None
    assert found.confidence > 0.85
    # Without a capture on both sides more of the kernel's agreement does not lift it above likely.
    assert found.verdict == "likely"
    assert found.confidence >= confidence(CAUSE, capture, dumps[0]) > confidence(CAUSE, capture)


def test_older_stamps_that_pass_refute_it() -> None:
    capture = behind_one_address(ignored=4)
    capture.usual(SERVER, 8)
    refuted = capture.build()
    syns = refuted.handshakes["tcp_flags"] == 2
    # Every usual SYN goes back in time as well, and is answered.
    stamps = refuted.handshakes["timestamp_value"][syns]
    refuted.handshakes["timestamp_value"][syns] = stamps.max() - stamps + 1
    assert confidence(CAUSE, refuted, sysctl(net__ipv4__tcp_tw_recycle="1")) < 0.5
    # Nothing supports it then: it is not raised.
    assert diagnosis(CAUSE, refuted) is None


def test_a_setting_of_zero_and_a_flat_counter_refute_it() -> None:
    capture = behind_one_address().build()
    off = [sysctl(net__ipv4__tcp_tw_recycle="0"), *nstat(TcpExtPAWSPassive=0)]
    assert confidence(CAUSE, capture, *off) < 0.5


def test_two_such_syns_prove_no_rule_and_three_are_looked_at() -> None:
    setting = sysctl(net__ipv4__tcp_tw_recycle="1")
    assert confidence(CAUSE, behind_one_address(ignored=2).build(), setting) == 0.0
    assert confidence(CAUSE, behind_one_address(ignored=3).build(), setting) > 0.3


def test_syns_with_stamps_that_only_grow_are_none_of_it() -> None:
    assert diagnosis(CAUSE, Losses("eth0").usual(SERVER, 20).late(SERVER, 8).build()) is None
