from __future__ import annotations

from backend.forensics.diagnosis.run import numbered
from backend.forensics.report import DiagnosisPart


def _part(cause: str, finding: str, time_lost_s: float = 0.0) -> DiagnosisPart:
    return DiagnosisPart(
        cause=cause,
        title="",
        confidence=0.8,
        verdict="likely",
        statement=f"{time_lost_s} s",
        claims=[],
        findings=[finding],
        time_lost_s=time_lost_s,
    )


def test_every_diagnosis_has_an_id_that_does_not_depend_on_its_rank() -> None:
    first, second, other = _part("a", "f-1", 1.0), _part("a", "f-2", 2.0), _part("b", "f-1")
    assert [part.id for part in numbered([second, other, first])] == ["a-2", "b-1", "a-1"]
    assert [part.id for part in numbered([first, second, other])] == ["a-1", "a-2", "b-1"]
    assert numbered([first])[0].model_copy(update={"id": ""}) == first


def test_two_that_say_the_same_have_two_ids() -> None:
    assert [part.id for part in numbered([_part("a", "f-1"), _part("a", "f-1")])] == ["a-1", "a-2"]
