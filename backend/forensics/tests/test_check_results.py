import pytest

from backend.forensics.check_results import agree_with_findings
from backend.forensics.lost_time import total_lost_s
from backend.forensics.quality_strip import cautions_of_inputs
from backend.forensics.report import (
    CheckedPart,
    ClaimPart,
    DiagnosisPart,
    EvidencePart,
    FindingPart,
    InputPart,
    Severity,
    Verdict,
)

PROOF = [EvidencePart(input="any.pcap", frames=[1])]


def finding(
    name: str, severity: Severity = "warning", lost_s: float = 0.0, frames: tuple[int, ...] = (1,)
) -> FindingPart:
    return FindingPart(
        id=name, kind=name.rpartition("-")[0], severity=severity, confidence=1.0, title=name, summary=name, count=1,
        first=None, last=None, time_lost_s=lost_s, measures={},
        evidence=[EvidencePart(input="any.pcap", frames=list(frames))],
    )  # fmt: skip


def diagnosis(findings: list[str], verdict: Verdict = "likely", lost_s: float = 0.0) -> DiagnosisPart:
    claim = ClaimPart(role="step", text="It happened.", evidence=PROOF)
    return DiagnosisPart(
        cause="a-cause", title="A cause", confidence=0.8, verdict=verdict, statement="It was so.", claims=[claim],
        findings=findings, time_lost_s=lost_s,
    )  # fmt: skip


def status_of(findings: list[FindingPart], diagnoses: list[DiagnosisPart], said: str = "clear") -> str:
    checks = [CheckedPart(kind="dns-delay", status=said, why="")]  # type: ignore[arg-type]
    return agree_with_findings(checks, findings, diagnoses)[0].status


def test_a_kind_without_a_finding_stays_as_its_detector_says() -> None:
    others = [finding("rtt-backlog-1")]
    assert [status_of(others, [], said) for said in ("clear", "not-checkable", "failed")] == [
        "clear",
        "not-checkable",
        "failed",
    ]


@pytest.mark.parametrize(
    ("severity", "verdict", "status"),
    [
        ("info", None, "harmless"),
        ("info", "cannot-tell", "harmless"),
        ("info", "possible", "found"),
        ("warning", None, "found"),
        ("critical", "cannot-tell", "found"),
    ],
)
def test_a_kind_with_a_finding_is_found_or_harmless(
    severity: Severity, verdict: Verdict | None, status: str
) -> None:
    diagnoses = [diagnosis(["dns-delay-1"], verdict)] if verdict else []
    assert status_of([finding("dns-delay-1", severity)], diagnoses) == status


def test_time_lost_is_the_sum_of_diagnoses_and_of_findings_without_one() -> None:
    findings = [
        finding("a-1", lost_s=5.0),
        finding("b-1", lost_s=3.0),
        finding("c-1", lost_s=2.0, frames=(2,)),
    ]
    diagnoses = [diagnosis(["a-1"], lost_s=4.0), diagnosis(["b-1"], lost_s=1.5)]
    assert total_lost_s(diagnoses, findings) == 7.5
    assert total_lost_s([], findings) == 10.0


def test_an_undecided_diagnosis_counts_only_what_nobody_explains() -> None:
    findings = [finding("a-1", lost_s=5.0)]
    undecided = diagnosis(["a-1"], "cannot-tell", lost_s=5.0)
    assert total_lost_s([undecided], findings) == 5.0
    assert total_lost_s([diagnosis(["a-1"], lost_s=4.0), undecided], findings) == 4.0


def test_rival_diagnoses_of_one_finding_lose_no_more_than_it() -> None:
    findings = [finding("a-1", lost_s=5.0)]
    rivals = [diagnosis(["a-1"], "possible", lost_s=5.0), diagnosis(["a-1"], "possible", lost_s=5.0)]
    assert total_lost_s(rivals, findings) == 5.0
    parts = [diagnosis(["a-1"], lost_s=3.0), diagnosis(["a-1"], lost_s=1.0)]
    assert total_lost_s(parts, findings) == 4.0


def test_a_finding_about_packets_that_a_diagnosis_rests_on_is_counted_with_it() -> None:
    explained = finding("idle-timeout-1", lost_s=5.0, frames=(1, 2))
    diagnoses = [diagnosis(["idle-timeout-1"], lost_s=5.0)]
    for frames, total in (((1, 2, 3, 4), 5.0), ((1, 3, 4), 7.0)):
        again = finding("data-retransmission-1", lost_s=2.0, frames=frames)
        assert total_lost_s(diagnoses, [explained, again]) == total


def test_time_that_an_undecided_diagnosis_does_not_count_is_not_forgotten() -> None:
    findings = [finding("a-1", lost_s=3.0), finding("b-1", lost_s=2.0, frames=(2,))]
    undecided = diagnosis(["a-1"], "cannot-tell")
    assert total_lost_s([undecided], findings) == 5.0
    assert total_lost_s([undecided, diagnosis(["b-1"], lost_s=2.0)], findings) == 2.0


def test_every_warning_of_a_file_is_a_caution() -> None:
    inputs = [
        InputPart(
            name="b.pcap", sha256="", kind="capture", format="pcap", warnings=["It is cut short.", "Two."]
        ),
        InputPart(name="a.pcap", sha256="", kind="capture", format="pcap"),
        InputPart(name="c.txt", sha256="", kind="dump", format="text", error="Unreadable."),
    ]
    assert [(each.status, each.text) for each in cautions_of_inputs(inputs)] == [
        ("caution", "b.pcap: It is cut short; Two"),
        ("caution", "c.txt: Unreadable"),
    ]
