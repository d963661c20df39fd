"""What tells which Kubernetes runs."""

from pathlib import Path

import pytest

from workers.decode.dumps import parse_dumps, recognise_dump

SAMPLES = Path(__file__).parent / "samples"
KIND = "kubernetes-versions"

OLD = (
    'Client Version: version.Info{Major:"1", Minor:"18", GitVersion:"v1.18.3", GitCommit:"2e7996e", Compiler:"gc"}\n'
    'Server Version: version.Info{Major:"1", Minor:"17+", GitVersion:"v1.17.9-gke.1504", GitCommit:"2e7996e"}\n'
)
NARROW = "NAME     STATUS   ROLES    AGE   VERSION\nnode-7   Ready    <none>   12d   v1.29.3+k3s1\n"


def said(text: str) -> list[tuple[int, str, str]]:
    (dump,) = parse_dumps(text)
    assert (dump.kind, dump.lines_not_understood) == (KIND, ())
    return [(each.line, each.component, each.version) for each in dump.component_versions]


def test_kubectl_tells_its_own_version_and_the_servers() -> None:
    text = (SAMPLES / "kubectl-version.txt").read_text()
    assert said(text) == [(1, "kubectl", "v1.29.3"), (3, "API server", "v1.29.1-eks-508b6b3")]


def test_a_program_of_a_node_tells_its_own() -> None:
    assert said((SAMPLES / "kube-proxy-version.txt").read_text()) == [(1, "node", "v1.29.3")]


def test_the_long_form_of_old_clients_is_read() -> None:
    assert said(OLD) == [(1, "kubectl", "v1.18.3"), (2, "API server", "v1.17.9-gke.1504")]


def test_wide_nodes_tell_kernel_and_runtime() -> None:
    (dump,) = parse_dumps((SAMPLES / "kubectl-get-nodes-wide.txt").read_text())
    assert (dump.kind, dump.lines_not_understood, len(dump.cluster_nodes)) == (KIND, (), 3)
    first, second, third = dump.cluster_nodes
    assert (first.line, first.name, first.os_image) == (2, "control-1", "Debian GNU/Linux 12 (bookworm)")
    assert (first.version, first.kernel, first.address) == ("v1.29.3", "6.1.0-18-amd64", "10.0.0.5")
    assert (second.name, second.container_runtime) == ("node-7.example", "containerd://1.7.2")
    assert (third.status, third.kernel) == ("NotReady,SchedulingDisabled", "5.15.0-101-generic")


def test_narrow_nodes_tell_their_version_alone() -> None:
    (dump,) = parse_dumps(NARROW)
    (node,) = dump.cluster_nodes
    assert (node.version, node.kernel, node.container_runtime) == ("v1.29.3+k3s1", "", "")


def test_two_commands_in_one_session_are_two_dumps() -> None:
    session = (
        f"root@node-7:~# kube-proxy --version\nKubernetes v1.29.3\nroot@node-7:~# kubectl get nodes\n{NARROW}"
    )
    assert [(dump.kind, dump.host) for dump in parse_dumps(session)] == [(KIND, "node-7"), (KIND, "node-7")]


@pytest.mark.parametrize(
    "text",
    [
        "Client Version:    v3.27.0\nGit commit: 711528eb8",
        "Kubernetes is fine",
        "Kubernetes v2.0.0",
        "NAME   READY   STATUS   RESTARTS   AGE\ndns-1   1/1   Running   0   12d",
    ],
)
def test_what_others_print_is_not_taken_for_it(text: str) -> None:
    assert recognise_dump(text.encode()) != KIND


def test_nodes_of_old_clients_have_no_roles() -> None:
    (dump,) = parse_dumps(
        "NAME           STATUS    AGE\n10.0.0.10      Ready     11d\n10.0.0.11      NotReady  11d\n"
    )
    assert dump.lines_not_understood == ()
    assert [(node.name, node.status, node.version) for node in dump.cluster_nodes] == [
        ("10.0.0.10", "Ready", ""),
        ("10.0.0.11", "NotReady", ""),
    ]
