"""Remedies that several causes give."""

from __future__ import annotations

from collections.abc import Sequence

from backend.forensics.evidence.kernel.counters import KernelFacts
from backend.forensics.evidence.kernel.kubernetes_versions import node_versions
from backend.forensics.report import RemedyPart

_OF_NODES = ("kube-proxy", "Kubernetes")


def with_known_versions(remedies: Sequence[RemedyPart], kernel: KernelFacts) -> list[RemedyPart]:
    """Remedies that hang on the version of Kubernetes say which one the nodes run, where a dump shows it."""
    known = node_versions(kernel)
    if known is None:
        return list(remedies)
    return [
        remedy.model_copy(update={"versions": f"{remedy.versions}; you have {known.in_words}"})
        if remedy.versions and any(word in remedy.versions for word in _OF_NODES)
        else remedy
        for remedy in remedies
    ]


def keep_connections_open(*, check: str, proof: str, shorter_than: str) -> RemedyPart:
    """Fewer new connections need fewer ports; `shorter_than` names the time-outs that idle ones must not outlive."""
    return RemedyPart(
        what="Reuse connections (HTTP keep-alive, a connection pool)",
        applies_to="clients",
        check=check,
        proof=proof,
        undo="Restore the previous setting",
        side_effect=f"idle connections stay open: their timeout must be shorter than {shorter_than}",
    )


def credentials_of_their_own(*, proof: str) -> RemedyPart:
    """Pods that need no metadata service of the node."""
    return RemedyPart(
        what="Use per-pod credentials (EKS pod identity, IAM roles for service accounts) instead of a node agent",
        command=(
            "kubectl annotate serviceaccount -n NAMESPACE NAME "
            "eks.amazonaws.com/role-arn=arn:aws:iam::ACCOUNT:role/ROLE"
        ),
        applies_to="the pod's service account; its pods must be restarted",
        check="kubectl get serviceaccount -n NAMESPACE NAME -o yaml",
        proof=proof,
        undo="Remove the annotation and restart the pods",
        side_effect="the role's trust policy has to name the service account; old SDKs do not know these credentials",
    )
