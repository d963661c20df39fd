"""SYNs that offer ECN are dropped by some devices: what the lost ones share is stated, no device is accused."""

from __future__ import annotations

import numpy as np

from backend.forensics.captures import Capture
from backend.forensics.diagnosis.causes.tests.build_losses import SERVER, Losses, report
from backend.forensics.diagnosis.ecn_claims import STATEMENT
from backend.forensics.evidence.losses.ecn_syns import OFFER
from backend.forensics.packets import ACK, SYN
from backend.forensics.report import DiagnosisPart


def capture(*, lost: int, usual: int) -> tuple[Capture, np.ndarray, np.ndarray]:
    """(capture, rows of the SYNs that were lost, rows of SYNs that open a connection at once)."""
    made = Losses("eth0").late(SERVER, lost, seen_at=1).usual(SERVER, usual).build()
    rows = made.handshakes
    syns = np.flatnonzero((rows["tcp_flags"] & (SYN | ACK)) == SYN)
    port = rows["source_port"][syns]
    tries = np.bincount(port)[port]
    first = np.unique(port, return_index=True)[1]
    return made, syns[first[tries[first] == 2]], syns[tries == 1]


def unexplained(made: Capture) -> DiagnosisPart:
    return next(d for d in report([made]).diagnoses if d.cause == "unknown")


def test_lost_syns_that_alone_offer_ecn_are_what_the_statement_names() -> None:
    made, lost, _ = capture(lost=8, usual=30)
    made.handshakes["tcp_flags"][lost] |= OFFER
    found = unexplained(made)
    assert found.statement.endswith(STATEMENT)
    assert found.confidence <= 0.5
    assert any(
        "8 of 8 SYNs that offer ECN" in text and "0 of 38 without" in text for text in found.supporting
    )
    cited = {
        frame
        for claim in found.claims
        if "offer ECN" in claim.text
        for e in claim.evidence
        for frame in e.frames
    }
    assert cited == set(made.handshakes["frame"][lost].tolist())
    assert [remedy.command for remedy in found.remedies] == ["sysctl -w net.ipv4.tcp_ecn=2"]
    # Captures have shown what they can.
    assert not any("tcpdump" in missing.command for missing in found.missing)


def test_clients_that_all_offer_ecn_lose_syns_for_another_reason() -> None:
    made, lost, usual = capture(lost=8, usual=30)
    made.handshakes["tcp_flags"][lost] |= OFFER
    made.handshakes["tcp_flags"][usual] |= OFFER
    found = unexplained(made)
    # Their retransmissions offer none and pass, as after any loss.
    assert not any("ECN" in text for text in found.supporting)
    assert not found.remedies


def test_a_few_losses_may_be_chance() -> None:
    made, lost, _ = capture(lost=2, usual=6)
    made.handshakes["tcp_flags"][lost] |= OFFER
    assert not any("ECN" in text for d in report([made]).diagnoses for text in d.supporting)


def test_other_losses_beside_them_leave_the_reason_open() -> None:
    made, lost, _ = capture(lost=12, usual=40)
    made.handshakes["tcp_flags"][lost[:9]] |= OFFER
    found = unexplained(made)
    assert any(
        "9 of 9 SYNs that offer ECN" in text and "3 of 55 without" in text for text in found.supporting
    )
    assert not found.statement.endswith(STATEMENT)
    assert any("tcpdump" in missing.command for missing in found.missing)
