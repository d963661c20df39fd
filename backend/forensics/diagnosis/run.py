"""Asks every cause, settles who explains which attempt, ranks the answers by the time that users lost."""

from __future__ import annotations

import importlib
import pkgutil
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np

from backend.forensics.cases.case import Case
from backend.forensics.diagnosis import causes
from backend.forensics.diagnosis.account import Settled, draw_up, settle
from backend.forensics.diagnosis.contract import Hypothesis, conclude, weigh
from backend.forensics.diagnosis.do_now import with_do_now
from backend.forensics.diagnosis.exclusive import leave_accidents, yield_to_stronger
from backend.forensics.diagnosis.fitting_advice import with_fitting_advice
from backend.forensics.diagnosis.given_listings import without_given
from backend.forensics.diagnosis.named_findings import NamedFindings
from backend.forensics.diagnosis.segment_cases import owned_findings
from backend.forensics.diagnosis.shared_losses import merge_shared
from backend.forensics.diagnosis.shared_remedies import with_known_versions
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.kubernetes_signs import speaks_of_kubernetes
from backend.forensics.isolation import CAUSE, REPORT, Isolation
from backend.forensics.report import AccountPart, DiagnosisPart

Assess = Callable[[Facts, Sequence[Case]], list[Hypothesis]]

REST = "unknown"
MORE_LIKELY_THAN_NOT = 0.5
"""Assessed last: it takes the delays that no other cause explains."""


@dataclass(frozen=True)
class Answer:
    """What the report says about causes."""

    diagnoses: list[DiagnosisPart]
    account: AccountPart | None


@lru_cache(maxsize=1)
def discover_causes() -> tuple[tuple[str, Assess], ...]:
    """(name, assess) of every module (or package, for a long one) in `causes`."""
    found = []
    for entry in pkgutil.iter_modules(causes.__path__):
        if entry.name not in (REST, "tests"):
            module = importlib.import_module(f"{causes.__name__}.{entry.name}")
            if hasattr(module, "assess"):
                found.append((str(module.CAUSE), module.assess))
    return tuple(sorted(found, key=lambda cause: cause[0]))


def diagnose(facts: Facts, findings: Sequence[Case], isolation: Isolation | None = None) -> Answer:
    """Diagnoses by time lost, the surer first among equals; what nobody explains becomes `unknown`, which takes in
    the causes that could not be determined about the same attempts."""
    isolation = isolation or Isolation()
    findings = NamedFindings.of(findings)
    hypotheses = [
        hypothesis
        for name, assess in discover_causes()
        for hypothesis in isolation.run(CAUSE + name, partial(_assessed, assess, facts, findings), [])
    ]
    return answer_from(facts, findings, hypotheses, isolation)


def answer_from(
    facts: Facts, findings: NamedFindings, hypotheses: Sequence[Hypothesis], isolation: Isolation
) -> Answer:
    """The same of what each cause says."""
    settled, left = settle(facts, leave_accidents(facts, hypotheses))
    settled = merge_shared(yield_to_stronger(settled), findings)
    settled = [s for s in settled if not _of_unconcerned_host(facts, s.hypothesis, isolation)]
    rest = importlib.import_module(f"{causes.__name__}.{REST}")
    named = [s.hypothesis for s in settled if weigh(s.hypothesis)[1] != "cannot-tell"]
    explained = frozenset(name for h in named for name in h.findings)
    explained |= isolation.run(CAUSE + REST, partial(owned_findings, facts, findings), frozenset())
    taken, confirmed = _taken_by_rivals(settled), _taken_by_confirmed(settled)
    settled = [s for s in settled if not _answered_elsewhere(s.hypothesis, taken, confirmed)]
    unsettled = [s for s in settled if _open_about(s, left)]
    open_ones = [conclude(s.hypothesis) for s in unsettled]
    assess_rest = partial(rest.assess_rest, facts, findings, explained, left, open_ones)
    found: Hypothesis | None = isolation.run(CAUSE + REST, assess_rest, None)
    if found is not None:
        taken_in = {id(s) for s in unsettled}
        settled = [s for s in settled if id(s) not in taken_in]
        settled.append(Settled(found, left.intersection(found.attempts)))
    kubernetes = isolation.run(REPORT + "kubernetes", partial(speaks_of_kubernetes, facts), False)
    parts = [
        isolation.run(
            REPORT + "advice",
            partial(_with_advice, facts, each, findings, kubernetes=kubernetes),
            conclude(each.hypothesis, attempts_explained=len(each.taken)),
        )
        for each in settled
    ]
    return Answer(numbered(sorted(parts, key=rank_of)), draw_up(facts, settled, REST))


def _with_advice(
    facts: Facts, settled: Settled, findings: NamedFindings, *, kubernetes: bool
) -> DiagnosisPart:
    return with_do_now(
        with_fitting_advice(
            without_given(facts, _concluded(facts, settled), findings),
            findings,
            kubernetes=kubernetes,
            asked=partial(_asked, facts, settled.hypothesis),
        )
    )


def _asked(facts: Facts, hypothesis: Hypothesis) -> str:
    return facts.attempts.most_asked(np.array(hypothesis.attempts, np.int64))


def _of_unconcerned_host(facts: Facts, hypothesis: Hypothesis, isolation: Isolation) -> bool:
    """It cannot be determined, and rests on listings alone of hosts that had nothing to do with these packets."""
    if not facts.has_packets or hypothesis.findings or weigh(hypothesis)[1] != "cannot-tell":
        return False
    cited = {part.input for piece in hypothesis.weighed for part in piece.evidence}
    if not cited:
        return False
    concerned = isolation.run(CAUSE + hypothesis.cause, partial(_inputs_of_concerned_hosts, facts), cited)
    return not cited & (concerned | {capture.name for capture in facts.captures})


def _inputs_of_concerned_hosts(facts: Facts) -> set[str]:
    listed = facts.listed_hosts
    return {d.input for host in listed.hosts if host.name in listed.concerned for d in host.dumps}


def _assessed(assess: Assess, facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """The hypotheses of one cause; what does not hold what an answer has to, breaks here, where its cause is known."""
    hypotheses = assess(facts, findings)
    for hypothesis in hypotheses:
        conclude(hypothesis)
    return hypotheses


def numbered(parts: Sequence[DiagnosisPart]) -> list[DiagnosisPart]:
    """With their ids, which do not depend on the rank: that changes with the time lost."""
    ids: dict[int, str] = {}
    seen: Counter[str] = Counter()
    for part in sorted(parts, key=lambda part: (part.cause, part.findings, part.statement)):
        seen[part.cause] += 1
        ids[id(part)] = f"{part.cause}-{seen[part.cause]}"
    return [part.model_copy(update={"id": ids[id(part)]}) for part in parts]


def _concluded(facts: Facts, settled: Settled) -> DiagnosisPart:
    part = conclude(settled.hypothesis, attempts_explained=len(settled.taken))
    return part.model_copy(update={"remedies": with_known_versions(part.remedies, facts.kernel)})


def rank_of(part: DiagnosisPart) -> tuple[int, float, float, str, str]:
    """Causes more likely than not come first, then others that stand, then what none of them explains, then those that
    were not shown."""
    standing = 0 if part.confidence >= MORE_LIKELY_THAN_NOT else 1
    place = 3 if part.verdict == "cannot-tell" else 2 if part.cause == REST else standing
    return place, -part.time_lost_s, -part.confidence, part.cause, part.statement


def _open_about(settled: Settled, left: frozenset[int]) -> bool:
    """A cause that lacks evidence about attempts that nobody explains. One that was refuted stands by itself, so that
    a reader sees why it is none."""
    hypothesis = settled.hypothesis
    refuted = any(piece.weight < 0 for piece in hypothesis.weighed)
    about = left.intersection(hypothesis.attempts)
    return bool(about) and not refuted and weigh(hypothesis)[1] == "cannot-tell"


def _taken_by_rivals(settled: Sequence[Settled]) -> dict[str, set[int]]:
    """By cause: the attempts that others took which name it among their rivals."""
    taken: dict[str, set[int]] = {}
    for each in settled:
        for rival in each.hypothesis.rivals:
            taken.setdefault(rival.cause, set()).update(each.taken)
    return taken


def _taken_by_confirmed(settled: Sequence[Settled]) -> set[int]:
    """The attempts that confirmed causes explain."""
    return {n for each in settled if weigh(each.hypothesis)[1] == "confirmed" for n in each.taken}


def _answered_elsewhere(
    hypothesis: Hypothesis, taken: Mapping[str, set[int]], confirmed: Collection[int]
) -> bool:
    """A cause that was not shown, about attempts that a confirmed cause explains, or others which name it among their
    rivals: its answer stands there."""
    if not hypothesis.attempts or weigh(hypothesis)[1] != "cannot-tell":
        return False
    return {*taken.get(hypothesis.cause, ()), *confirmed}.issuperset(hypothesis.attempts)
