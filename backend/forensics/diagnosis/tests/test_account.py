"""Every delayed connection is explained once or listed as unexplained, and the sum is the whole."""

from __future__ import annotations

from dataclasses import replace

from backend.forensics.analyze import analyse_evidence
from backend.forensics.captures import Capture
from backend.forensics.diagnosis.account import Settled, draw_up, settle
from backend.forensics.diagnosis.causes.snat_port_race.tests.build_race import (
    LOST,
    Case,
    race_capture,
)
from backend.forensics.diagnosis.contract import TIME_LOST, Hypothesis, Weighed, conclude
from backend.forensics.diagnosis.run import MORE_LIKELY_THAN_NOT, rank_of
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.findings import frame_evidence
from backend.forensics.report import AccountPart, Report
from backend.forensics.report_text import FigurePart
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, S, plain_path
from backend.services.render_markdown import render_markdown
from backend.services.report_words import account_sentence

CLIENT, SERVER = "10.0.0.1", "192.0.2.10:80"


def one_sided(*gaps_ns: int, usual_ns: int = MS // 2, late_ns: int = 0) -> Capture:
    """Connections with a retry after each gap, among usual ones; one answered `late_ns` after its only SYN."""
    capture = CaptureBuilder(places=("eth0",))
    for number in range(20):
        path = plain_path(f"{CLIENT}:{30_000 + number}", SERVER, "eth0")
        capture.syn(T0_NS + number * 10 * MS, path, isn=number + 1)
        capture.answer(T0_NS + number * 10 * MS + usual_ns, path, isn=number + 1)
    for number, gap_ns in enumerate(gaps_ns):
        path = plain_path(f"{CLIENT}:{40_000 + number}", SERVER, "eth0")
        capture.retry(T0_NS + S + number * 10 * MS, path, isn=900 + number, seen_at=1, gap_ns=gap_ns)
    if late_ns:
        path = plain_path(f"{CLIENT}:50000", SERVER, "eth0")
        capture.syn(T0_NS + 2 * S, path, isn=77_777)
        capture.answer(T0_NS + 2 * S + late_ns, path, isn=77_777)
    return capture.build()


def report(capture: Capture) -> Report:
    return analyse_evidence([capture], [], [], label="x", created="2026", tool_version="0").report


def account(capture: Capture) -> AccountPart:
    found = report(capture).account
    assert found is not None
    return found


def hypothesis(facts: Facts, cause: str, attempts: list[int], *, weight: float) -> Hypothesis:
    frames = frame_evidence(facts.delays.frames_of(facts.delays.positions(attempts)))
    return Hypothesis(
        cause=cause,
        title=cause,
        role="loss",
        statement=cause,
        prior=0.0,
        steps=(),
        weighed=(Weighed(weight, "a sign", frames, "for this test"),),
        both_sides=False,
        independent=False,
        signs=1,
        findings=(),
        time_lost_s=99.0,
        attempts=tuple(attempts),
    )


def test_a_wait_of_0_9_s_is_counted_and_one_of_0_8_s_is_not() -> None:
    found = account(one_sided(900 * MS, 800 * MS))
    assert (found.delayed, found.unexplained) == (1, 1)


def test_time_lost_is_the_delay_minus_the_usual_handshake() -> None:
    slow = account(one_sided(S, usual_ns=40 * MS))
    # The retry is answered after 0.5 ms, the usual handshake takes 40 ms.
    assert abs(slow.time_lost_s - 0.9605) < 1e-6


def test_a_long_path_delays_nobody() -> None:
    found = account(one_sided(usual_ns=1_200 * MS))
    assert (found.delayed, found.time_lost_s) == (0, 0.0)


def test_a_connection_answered_late_without_a_retry_is_listed_with_its_frame() -> None:
    found = account(one_sided(late_ns=950 * MS))
    assert found.delayed == found.unexplained == 1
    assert found.unexplained_evidence[0].frames
    assert account(one_sided(late_ns=850 * MS)).delayed == 0


def test_the_unexplained_ones_become_the_diagnosis_unknown() -> None:
    (diagnosis,) = report(one_sided(late_ns=950 * MS)).diagnoses
    assert diagnosis.cause == "unknown"
    assert diagnosis.attempts_explained == 1
    assert "without a SYN retransmission" in diagnosis.statement


def test_the_account_of_a_race_closes() -> None:
    found = Case().report().account
    assert found is not None
    assert [(line.cause, line.count) for line in found.explained] == [("snat-port-race", LOST)]
    assert (found.delayed, found.unexplained) == (LOST, 0)


def test_what_a_cause_does_not_claim_stays_unexplained() -> None:
    full = Case(capture=race_capture(seen_behind=3)).report()
    assert full.account is not None
    assert (
        sum(line.count for line in full.account.explained) + full.account.unexplained == full.account.delayed
    )
    frames = {f for part in full.account.unexplained_evidence for f in part.frames}
    assert full.account.unexplained == 0 or frames


def test_the_surest_cause_takes_an_attempt_and_none_is_counted_twice() -> None:
    facts = gather_facts([one_sided(S, S, S)], [])
    links = facts.delays.link.tolist()
    weak = hypothesis(facts, "weak", links, weight=1.0)
    strong = hypothesis(facts, "strong", links[:2], weight=3.0)
    settled, left = settle(facts, [weak, strong])
    taken = {s.hypothesis.cause: len(s.taken) for s in settled}
    assert (taken, left) == ({"weak": 1, "strong": 2}, frozenset())
    lost = sum(s.hypothesis.time_lost_s for s in settled)
    assert abs(lost - facts.delays.lost_by(links)) < 1e-9


def test_of_equally_sure_causes_the_more_specific_takes_first() -> None:
    facts = gather_facts([one_sided(S, S)], [])
    links = facts.delays.link.tolist()
    wide, narrow = (
        hypothesis(facts, name, ids, weight=2.0) for name, ids in (("a", links), ("b", links[:1]))
    )
    settled, _ = settle(facts, [wide, narrow])
    assert {s.hypothesis.cause: len(s.taken) for s in settled} == {"a": 1, "b": 1}


def test_what_cannot_be_told_takes_nothing() -> None:
    facts = gather_facts([one_sided(S)], [])
    links = facts.delays.link.tolist()
    settled, left = settle(facts, [hypothesis(facts, "open", links, weight=-1.0)])
    assert (settled[0].taken, left) == (frozenset(), frozenset(links))


def test_the_account_is_one_sentence_in_words() -> None:
    shown = account_sentence(Case().report())
    assert f"{LOST} connections waited 0.9 s or more above the baseline" in shown
    assert f"= {LOST} SNAT source-port collision + 0 unexplained" in shown
    assert "## The account" in render_markdown(Case().report())


def test_nothing_delayed_says_nothing() -> None:
    assert account_sentence(report(one_sided())) == ""
    assert report(CaptureBuilder().build()).account is None


def test_what_cannot_be_told_has_no_lost_time_of_its_own() -> None:
    facts = gather_facts([one_sided(S, S)], [])
    attempts = facts.delays.link.tolist()
    refuted = replace(
        hypothesis(facts, "a", attempts, weight=-5.0), figures=((TIME_LOST, "2 s"), ("to", SERVER))
    )
    (settled,), left = settle(facts, [refuted])
    shown = conclude(settled.hypothesis, attempts_explained=len(settled.taken))
    assert (shown.time_lost_s, shown.attempts_explained, left) == (0.0, 0, frozenset(attempts))
    assert shown.figures == [FigurePart(name="to", value=SERVER)]


def test_what_nothing_explains_stands_behind_the_causes_that_stand_and_before_those_that_do_not() -> None:
    facts = gather_facts([one_sided(S, S)], [])
    attempts = facts.delays.link.tolist()
    parts = [
        conclude(replace(hypothesis(facts, cause, attempts, weight=weight), time_lost_s=lost_s))
        for cause, weight, lost_s in (
            ("unknown", 0.1, 9.0),
            ("refuted", -5.0, 5.0),
            ("unlikely", -0.2, 3.0),
            ("likely", 1.0, 1.0),
        )
    ]
    assert [part.confidence >= MORE_LIKELY_THAN_NOT for part in parts] == [True, False, False, True]
    ranked = [part.cause for part in sorted(parts, key=rank_of)]
    assert ranked == ["likely", "unlikely", "unknown", "refuted"]


def test_what_is_unexplained_is_split_by_the_diagnosis_that_is_about_it() -> None:
    facts = gather_facts([one_sided(S, S, S)], [])
    late, open_, small = facts.delays.link.tolist()
    rest = hypothesis(facts, "unknown", [late], weight=0.1)
    undecided = hypothesis(facts, "open", [late, open_], weight=-1.0)
    settled = [Settled(rest, frozenset([late])), Settled(undecided, frozenset())]
    found = draw_up(facts, settled, "unknown")
    assert found is not None
    lines = [(line.cause, line.count) for line in found.unexplained_by]
    assert lines == [("unknown", 1), ("undecided", 1), ("below-threshold", 1)]
    assert sum(count for _, count in lines) == found.unexplained
    assert small not in undecided.attempts
