"""SYNs lost in an outage that ICMP errors report: what was said stands beside the question that is left."""

from __future__ import annotations

import pytest

from backend.forensics.diagnosis.causes.tests.build_losses import SERVER, Losses
from backend.forensics.diagnosis.icmp_outages import outage_reported
from backend.forensics.evidence.facts import gather_facts


@pytest.mark.parametrize(
    ("code", "said"), [(0, "no route"), (1, "host unreachable"), (13, None), (None, None)]
)
def test_what_icmp_errors_report_of_the_host_is_said_of_its_lost_syns(
    code: int | None, said: str | None
) -> None:
    capture = Losses().usual(SERVER, 3).silent(SERVER, 2, gaps_s=(1,), seen_at=1)
    if code is not None:
        capture.told(SERVER, code)
    facts = gather_facts([capture.build()], [])
    found = outage_reported(facts, facts.attempts.retried.link.tolist())
    assert (found is not None) == (said is not None)
    if found is not None:
        assert found[0] == said
        assert "2 of 2 attempts" in found[1].text
        assert "192.0.2.1" in found[1].text


def test_errors_about_few_of_the_attempts_say_nothing_of_the_rest() -> None:
    capture = Losses().silent(SERVER, 1, gaps_s=(1,)).told(SERVER, 0)
    capture._next += 1000  # connections begin every 20 ms: 20 s later the host answers, and then loses SYNs
    capture.usual(SERVER, 3).silent(SERVER, 2, gaps_s=(1,), seen_at=1)
    facts = gather_facts([capture.build()], [])
    assert outage_reported(facts, facts.attempts.retried.link.tolist()) is None
