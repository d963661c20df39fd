"""The hop limit is named, refuted and left open by which calls are answered where."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from backend.forensics.addresses import address_halves
from backend.forensics.detectors.metadata_burst.detector import detect
from backend.forensics.diagnosis.causes.metadata_hop_limit import assess
from backend.forensics.diagnosis.contract import conclude, weigh
from backend.forensics.evidence.facts import gather_facts
from backend.forensics.messages import ICMP_ERROR_DTYPE, HeldMessages, message_schema
from backend.forensics.report import DiagnosisPart
from backend.forensics.tests.build_http import IMDS, POD, TOKEN, HttpBuilder, load_credentials


def _lost_tokens(places: tuple[str, ...] = ("veth",), *, falls_back: bool = True) -> HttpBuilder:
    http = HttpBuilder(places=places)
    for n in range(4):
        http.exchange(100 + 20_000 * n, f"{POD}:{41_000 + n}", IMDS, TOKEN, took_ms=None)
        if falls_back:
            load_credentials(http, 1_102 + 20_000 * n, caller=f"{POD}:{42_000 + n}", left_s=21_600)
    http.lasts_until(90_000)
    return http


def _diagnosis(http: HttpBuilder) -> DiagnosisPart:
    facts = gather_facts([http.build()], [])
    [hypothesis] = assess(facts, detect(facts).cases)
    return conclude(hypothesis)


def test_tokens_unanswered_and_other_calls_answered() -> None:
    diagnosis = _diagnosis(_lost_tokens())
    assert diagnosis.verdict == "likely"
    assert diagnosis.statement == (
        "4 of 4 token requests by 10.1.0.7 had no response: 4,008 ms were lost in timeouts."
    )
    assert diagnosis.time_lost_s == 4.008
    assert "--http-put-response-hop-limit 2" in str(diagnosis.remedies[0].command)
    assert {r.cause: r.status for r in diagnosis.rivals}["metadata-slow"] == "ruled-out"


def test_an_answer_seen_further_out_is_the_strongest_sign() -> None:
    http = HttpBuilder(places=("veth", "eth0"))
    for n in range(4):
        http.exchange(100 + 20_000 * n, f"{POD}:{41_000 + n}", IMDS, TOKEN, took_ms=2)
    http.silence_answers("veth", after_ms=0)
    for n in range(4):
        load_credentials(http, 1_102 + 20_000 * n, caller=f"{POD}:{42_000 + n}", left_s=21_600)
    diagnosis = _diagnosis(http)
    assert any("further out" in text for text in diagnosis.supporting)
    assert diagnosis.verdict == "likely"


def test_an_answered_token_refutes_it() -> None:
    http = _lost_tokens()
    http.exchange(85_000, f"{POD}:41900", IMDS, TOKEN, took_ms=2)
    facts = gather_facts([http.build()], [])
    [hypothesis] = assess(facts, detect(facts).cases)
    assert weigh(hypothesis)[1] == "cannot-tell"
    assert any(p.weight < -5 for p in hypothesis.weighed)


def test_with_nothing_answered_it_stays_open() -> None:
    diagnosis = _diagnosis(_lost_tokens(falls_back=False))
    assert diagnosis.verdict in ("possible", "cannot-tell")
    assert "firewall-drop" in [r.cause for r in diagnosis.rivals if r.status == "possible"]
    assert "describe-instances" in diagnosis.missing[0].command


def test_answered_tokens_are_nothing_to_explain() -> None:
    http = HttpBuilder()
    http.exchange(100, f"{POD}:41000", IMDS, TOKEN, took_ms=2)
    http.lasts_until(5_000)
    facts = gather_facts([http.build()], [])
    assert assess(facts, detect(facts).cases) == []


def _told(quoted_source: str, quoted_destination: str, *, code: int = 0) -> DiagnosisPart:
    """The node says that it dropped a packet."""
    capture = _lost_tokens().build()
    error = np.zeros(1, ICMP_ERROR_DTYPE)
    error["frame"], error["ip_version"], error["type"], error["code"] = 77, 4, 11, code
    for end, text in (("source", quoted_source), ("destination", quoted_destination)):
        error[f"quoted_{end}_high"], error[f"quoted_{end}_low"] = address_halves(text)
    columns = [pa.array(error[name]) for name in ICMP_ERROR_DTYPE.names or ()]
    table = HeldMessages(pa.Table.from_arrays(columns, schema=message_schema("icmp_errors")))
    messages = replace(capture.messages, icmp_errors=table)
    facts = gather_facts([replace(capture, messages=messages)], [])
    [hypothesis] = assess(facts, detect(facts).cases)
    return conclude(hypothesis)


def test_a_node_that_says_so_confirms_it() -> None:
    diagnosis = _told("169.254.169.254", POD)
    assert diagnosis.verdict == "confirmed"
    assert any("TTL of a response to 10.1.0.7 expired" in text for text in diagnosis.supporting)


@pytest.mark.parametrize(
    ("source", "destination", "code"),
    [("192.0.2.1", POD, 0), ("169.254.169.254", "10.1.0.8", 0), ("169.254.169.254", POD, 1)],
)
def test_what_a_node_says_of_others_is_no_sign(source: str, destination: str, code: int) -> None:
    """A traceroute, another pod's answers, a fragment that came too late."""
    assert _told(source, destination, code=code).verdict == "likely"
