"""No name server is configured: queries go to an address that by definition is no name server.

Cisco IOS sends them to the limited broadcast address when `ip name-server` is missing ("Translating … domain server
(255.255.255.255)"); Windows asks fec0:0:0:ffff::1 to ::3, the well-known site-local addresses (RFC 3879 deprecates
them), on an interface without a DNS server."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from backend.forensics.cases.case import Case
from backend.forensics.diagnosis.alternatives import Alternative
from backend.forensics.diagnosis.contract import Hypothesis, Weighed
from backend.forensics.diagnosis.queries.trouble import (
    Trouble,
    collect_unconfigured,
    query_frames,
    story,
)
from backend.forensics.evidence.facts import Facts
from backend.forensics.findings import plural
from backend.forensics.report import MissingPart, RemedyPart

CAUSE = "no-name-server"
TITLE = "No name server configured"
ALTERNATIVES: Final = (
    Alternative(
        "A resolver that does not respond",
        "the host asks one and hears nothing; here it asks a broadcast address, such as 255.255.255.255",
    ),
    Alternative("A search list that multiplies queries", "each of its queries is answered, with NXDOMAIN"),
)
COLLECT: Final = (
    MissingPart(
        what="The name servers that the host has",
        command="cat /etc/resolv.conf   # Linux; Cisco IOS: show hosts; Windows: ipconfig /all",
    ),
)
PRIOR = -2.0
REFERENCES = (
    "RFC 919 section 7: 255.255.255.255 is every host of the local network, never forwarded",
    "Cisco IOS, ip domain-lookup: on by default; without ip name-server queries go to 255.255.255.255",
    "RFC 3879: site-local addresses such as fec0:0:0:ffff::1 are deprecated; Windows asks them by default",
)


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per such address with a question that was never answered."""
    return [_hypothesis(trouble, what) for trouble, what in collect_unconfigured(facts, findings)]


def _hypothesis(trouble: Trouble, what: str) -> Hypothesis:
    lookups = trouble.lookups(trouble.failed)
    clients = sorted({one.client for one in lookups})
    address = trouble.resolver.server.address
    text = f"{len(trouble.failed):,} unanswered {'query' if len(trouble.failed) == 1 else 'queries'} went to {address}."
    proof = Weighed(4.5, text, query_frames(trouble.failed), f"it is {what}")
    return Hypothesis(
        cause=CAUSE,
        title=TITLE,
        role="loss",
        statement=f"No name server is configured on {_hosts(clients)}: "
        f"{plural(len(lookups), 'DNS lookup')} went to {address}, {what}.",
        prior=PRIOR,
        steps=tuple(story(trouble, lookups, trouble.failed)),
        weighed=(proof,),
        both_sides=False,
        independent=True,
        signs=1,
        findings=trouble.findings,
        time_lost_s=trouble.lost_s(lookups),
        missing=(
            MissingPart(
                what="The name servers that the host has",
                command="cat /etc/resolv.conf   # Linux; Cisco IOS: show hosts; Windows: ipconfig /all",
            ),
        ),
        remedies=(_remedy(),),
        references=REFERENCES,
        refutation="an answer from this address would refute it",
        figures=trouble.figures(lookups),
        impact=trouble.impact(lookups),
        ceiling=trouble.ceiling,
    )


def _hosts(clients: Sequence[str]) -> str:
    return clients[0] if len(clients) == 1 else f"{len(clients):,} hosts"


def _remedy() -> RemedyPart:
    return RemedyPart(
        what="Configure a name server, or switch lookups off where none is wanted (Cisco IOS: no ip domain-lookup)",
        applies_to="the host that sent the queries",
        check="cat /etc/resolv.conf",
        proof="capture port 53 for 60 s again: queries go to the name server and are answered",
        undo="Restore the previous name servers",
        side_effect="none",
    )
