"""Which Kubernetes the nodes run."""

from __future__ import annotations

from backend.forensics.diagnosis.ipvs_settings import read_settings
from backend.forensics.dumps import ClusterNode, ComponentVersion, Dump, KernelVersion
from backend.forensics.evidence.kernel.counters import DumpInput, KernelFacts, gather_kernel_facts
from backend.forensics.evidence.kernel.kubernetes_versions import node_versions

OLD, NEW = "5.8.1-generic", "5.15.0-101-generic"


def kernel(*dumps: Dump) -> KernelFacts:
    return gather_kernel_facts([DumpInput(f"{n}.txt", None, dump) for n, dump in enumerate(dumps, 1)])


def nodes(*rows: tuple[str, str]) -> Dump:
    listed = (
        ClusterNode(n, f"node-{n}", "Ready", version, kernel=k) for n, (version, k) in enumerate(rows, 2)
    )
    return Dump("kubernetes-versions", len(rows) + 1, (), cluster_nodes=tuple(listed))


def said(component: str, version: str) -> Dump:
    return Dump("kubernetes-versions", 1, (), component_versions=(ComponentVersion(1, component, version),))


def test_the_oldest_decides_and_numbers_are_compared_as_numbers() -> None:
    found = node_versions(kernel(nodes(("v1.10.2", ""), ("v1.9.11", "")), said("node", "v1.29.3-eks-5")))
    assert found is not None
    assert found.in_words == "1.9.11 to 1.29.3-eks-5 (1.txt:3)"
    assert (found.all_carry((1, 9)), found.all_carry((1, 10))) == (True, False)


def test_clients_and_api_servers_say_nothing_of_nodes() -> None:
    assert node_versions(kernel(said("kubectl", "v1.29.3"), said("API server", "v1.29.1"))) is None


def test_a_kernel_is_told_by_nodes_that_agree() -> None:
    assert read_settings(kernel(nodes(("v1.29.3", NEW), ("v1.29.3", NEW)))).kernel == (NEW, ("1.txt", 2))
    assert read_settings(kernel(nodes(("v1.29.3", NEW), ("v1.29.3", OLD)))).kernel is None


def test_uname_goes_before_the_list_of_nodes() -> None:
    uname = Dump("uname", 1, (), kernel=KernelVersion(1, OLD))
    assert read_settings(kernel(nodes(("v1.29.3", NEW)), uname)).kernel == (OLD, ("2.txt", 1))
