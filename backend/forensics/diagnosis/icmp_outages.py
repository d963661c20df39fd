"""Lost SYNs of a time in which ICMP errors reported that their destination cannot be reached: who said so, and what."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from backend.forensics.addresses import address_text
from backend.forensics.diagnosis.contract import Weighed
from backend.forensics.evidence.absence.unresolved import server_of_links
from backend.forensics.evidence.attempts.icmp_errors import HOST, MEANINGS, NETWORK
from backend.forensics.evidence.clocks.sightings import Ints
from backend.forensics.evidence.facts import Facts
from backend.forensics.findings import frame_evidence, plural
from backend.forensics.wording import series_text

MOST_SHARE: Final = 0.5
REPORTERS_SHOWN: Final = 3


def outage_reported(facts: Facts, links: Sequence[int]) -> tuple[str, Weighed] | None:
    """(what was reported, the piece that says so) where it holds for most of these attempts."""
    if not links or not len(facts.icmp_errors.rows):
        return None
    losses, retried = facts.losses, facts.attempts.retried
    of_links = np.isin(retried.link[losses.attempt], np.array(links, np.int64))
    lost = np.unique(losses.attempt[of_links & facts.reported_by_icmp])
    about = _errors(facts, retried.link[lost])
    if len(lost) <= MOST_SHARE * len(links) or not len(about):
        return None
    return _reported(facts, about), _piece(facts, about, len(lost), len(links))


def _errors(facts: Facts, links: Ints) -> Ints:
    """Positions of errors about the hosts that these attempts asked."""
    errors, servers = facts.icmp_errors, server_of_links(facts.attempts)
    quoted = np.where((errors.link >= 0) & (errors.link < len(servers)), errors.link, -1)
    about = np.isin(errors.meaning, [MEANINGS.index(HOST), MEANINGS.index(NETWORK)]) & (quoted >= 0)
    return np.flatnonzero(about & np.isin(servers[quoted], servers[links]))


def _reported(facts: Facts, about: Ints) -> str:
    return MEANINGS[int(np.bincount(facts.icmp_errors.meaning[about]).argmax())]


def _piece(facts: Facts, about: Ints, lost: int, total: int) -> Weighed:
    errors, places = facts.icmp_errors, facts.attempts.places
    rows = errors.rows[about]
    senders = sorted({address_text(int(r["source_high"]), int(r["source_low"])) for r in rows})
    frames = frame_evidence(
        (places[int(errors.place[n])].input, int(errors.rows["frame"][n])) for n in about.tolist()
    )
    text = (
        f"{lost:,} of {plural(total, 'attempt')} lost a SYN while {series_text(senders[:REPORTERS_SHOWN])} reported "
        f"{_reported(facts, about)} by ICMP."
    )
    return Weighed(0.1, text, frames, "rate limits leave most SYNs without an error of their own")
