"""Cilium's eBPF datapath has no translation, no port or no entry for a packet, and drops it.

bpf/lib/nat.h, bpf/lib/conntrack.h: DROP_NAT_NO_MAPPING ("No mapping for NAT masquerade") after every port that was
tried was taken, DROP_CT_CREATE_FAILED ("CT: Map insertion failed") where the map is full. The agent's maps are LRU:
under pressure they also evict entries of live connections (bpf-map-pressure metrics)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from backend.forensics.cases.case import Case
from backend.forensics.diagnosis.alternatives import Alternative
from backend.forensics.diagnosis.contract import Hypothesis
from backend.forensics.diagnosis.listed_causes import ListedCause
from backend.forensics.diagnosis.traced_drops import traced_hypotheses
from backend.forensics.evidence.facts import Facts
from backend.forensics.report import MissingPart, RemedyPart

CAUSE = "ebpf-nat"
TITLE = "eBPF NAT has no mapping"
ALTERNATIVES: Final = (
    Alternative("A firewall or network policy", "its drop reason names a policy, not a NAT mapping"),
    Alternative(
        "SNAT port exhaustion of conntrack",
        "insert_failed of nf_conntrack rises; eBPF translation does not use that table",
    ),
)
COLLECT: Final = (
    MissingPart(
        what="The drop reasons while it fails, and how full the NAT maps are",
        command="cilium monitor --type drop; cilium metrics list | grep bpf_map_pressure",
    ),
)
_REASONS: Final = re.compile(
    r"no[_ ]mapping[_ ]for[_ ]nat|nat[_ ](?:no[_ ]mapping|not[_ ]needed)|"
    r"ct:?[_ ]map[_ ]insertion[_ ]failed|snat[_ ]?no[_ ]map|"
    r"unable[_ ]to[_ ]find[_ ]a?[_ ]?(?:free[_ ])?port|failed[_ ]to[_ ]update[_ ]or[_ ]lookup[_ ]tc[_ ]buffer",
    re.IGNORECASE,
)

REFERENCES = (
    "cilium/cilium: bpf/lib/nat.h, bpf/lib/conntrack.h; api/v1/flow/flow.proto: DropReason",
    "docs.cilium.io: eBPF maps, limits; Kubernetes without kube-proxy",
)
_CAUSE = ListedCause(
    cause=CAUSE,
    title=TITLE,
    prior=-2.5,
    references=REFERENCES,
    refutation="it would be refuted by drops of this reason whose tuples are of other connections",
    remedies=(
        RemedyPart(
            what="Raise the limits of the NAT and connection-tracking maps",
            command="cilium config set bpf-nat-global-max 1048576; cilium config set bpf-ct-global-tcp-max 1048576",
            applies_to="the Cilium agents (ConfigMap cilium-config: bpf-map-dynamic-size-ratio sizes both)",
            check="cilium-dbg metrics list | grep bpf_map_pressure; cilium-dbg bpf nat list | wc -l",
            proof="hubble observe --verdict DROPPED shows no further drop of this reason",
            undo="Restore the previous values",
            side_effect="agents restart and their maps are made again: open connections may be cut",
            versions=None,
        ),
    ),
)


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per host whose monitor or Hubble shows such drops."""
    command = (
        "cilium-dbg metrics list | grep -E 'pressure|drop_count'; hubble observe --verdict DROPPED -o json"
    )
    found = traced_hypotheses(facts, _CAUSE, lambda event: _REASONS.search(event.reason) is not None, command)
    return list(found)
