"""Lost SYNs that offer ECN: which device drops them is not known, but they share what decides it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from backend.forensics.diagnosis.contract import Weighed
from backend.forensics.diagnosis.given_listings import ListingRequest
from backend.forensics.evidence.attempts.retried import Endpoint
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.losses.ecn_syns import EcnSyns, count_ecn_syns
from backend.forensics.findings import frame_evidence
from backend.forensics.report import MissingPart, RemedyPart
from backend.forensics.significance import fisher_exact_p
from backend.forensics.wording import p_text

CHANCE_BELOW: Final = 0.001
"""Losses that have nothing to do with ECN meet the flags of at least three SYNs by this chance or a smaller one."""
SERVERS_READ: Final = 20
"""More of them would make the answer no surer."""
ATTEMPTS_READ: Final = 1_000
"""A scan has a million."""
STATEMENT: Final = "The lost SYNs are those that offer ECN."
REMEDY: Final = RemedyPart(
    what="Offer no ECN on the clients, until the device is found that drops such SYNs",
    command="sysctl -w net.ipv4.tcp_ecn=2",
    applies_to="the clients",
    check="sysctl net.ipv4.tcp_ecn",
    proof="SYNs without ECE and CWR open connections at once",
    undo="sysctl -w net.ipv4.tcp_ecn=1",
    side_effect="congestion is signaled by loss alone; 2 still accepts ECN where the other side offers it",
    versions="the kernel's default is 2; a client that offers ECN was set to 1",
)
RULES: Final[MissingPart] = ListingRequest(
    what="Rules that match ECN bits, on the client, the node and the server",
    command="iptables-save -c | grep -i ecn; nft list ruleset | grep -iE 'ecn|ecn-echo|cwr'",
    at="node",
)


@dataclass(frozen=True)
class EcnLoss:
    """SYNs to one server of which those that offer ECN are lost."""

    counts: EcnSyns
    p_value: float

    @property
    def is_all(self) -> bool:
        """No other SYN was lost."""
        return self.counts.plain_lost == 0

    @property
    def piece(self) -> Weighed:
        """The comparison. It raises no cause: the device may be anywhere on the path."""
        n = self.counts
        text = (
            f"{n.offered_lost:,} of {n.offered_lost + n.offered_passed:,} SYNs that offer ECN (flags ECE and CWR) were "
            f"lost, {n.plain_lost:,} of {n.plain_lost + n.plain_passed:,} without these flags ({p_text(self.p_value)})."
        )
        return Weighed(0.1, text, frame_evidence(n.frames), "it shows which SYNs are dropped, not where")


def ecn_losses(facts: Facts, links: Sequence[int]) -> list[EcnLoss]:
    """For the servers of these attempts, where the flags decide beyond chance which SYN is lost."""
    found = []
    for server in _servers(facts, links)[:SERVERS_READ]:
        counts = count_ecn_syns(facts.attempts, facts.losses, server)
        offered = (counts.offered_lost, counts.offered_passed)
        p_value = fisher_exact_p((offered, (counts.plain_lost, counts.plain_passed)), "greater")
        if p_value < CHANCE_BELOW:
            found.append(EcnLoss(counts, p_value))
    return found


def _servers(facts: Facts, links: Sequence[int]) -> list[Endpoint]:
    """Those whose SYNs were sent again, the first of these attempts first."""
    retried = facts.attempts.retried
    positions = retried.position_of_link[np.array(links, np.int64)]
    chosen = positions[positions >= 0][:ATTEMPTS_READ].tolist()
    return list(dict.fromkeys(retried[n].server for n in chosen))
