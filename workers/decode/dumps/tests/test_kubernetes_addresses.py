"""Listings of pods and services as kubectl prints them, and hosts files."""

from __future__ import annotations

from workers.decode.dumps import parse_dump_bytes

WIDE = """NAMESPACE     NAME                    READY   STATUS      RESTARTS      AGE    IP            NODE          NOMINATED NODE   READINESS GATES
payments      checkout-7f9c4d5b6d-x   1/1     Running     1 (3h ago)    5h     10.244.1.17   kind-worker   <none>           <none>
payments      migrate-1               0/1     Completed   0             5h     10.244.1.18   kind-worker   <none>           <none>
kube-system   kube-proxy-k8x2p        1/1     Running     0             12d    172.18.0.3    kind-worker   <none>           <none>
kube-system   kindnet-zzt4p           1/1     Running     0             12d    172.18.0.3    kind-worker   <none>           <none>
payments      pending-1               0/1     Pending     0             2m     <none>        <none>        <none>           <none>
NAMESPACE   NAME         TYPE           CLUSTER-IP    EXTERNAL-IP   PORT(S)        AGE   SELECTOR
default     kubernetes   ClusterIP      10.96.0.1     <none>        443/TCP        12d   <none>
web         front        LoadBalancer   10.96.44.2    192.0.2.10    80:31234/TCP   12d   app=front
"""  # noqa: E501 - as it is printed
HOSTS = """# Kubernetes-managed hosts file.
127.0.0.1\tlocalhost
::1\tlocalhost ip6-localhost ip6-loopback
fe00::0\tip6-localnet
10.244.1.17\tcheckout-7f9c checkout
# Entries added by HostAliases.
192.0.2.7\tpayments.example
"""


def test_pods_and_services_of_a_wide_listing() -> None:
    dumps = parse_dump_bytes(WIDE.encode())
    names = {(each.address, each.name, each.sort, each.line) for dump in dumps for each in dump.address_names}
    assert {dump.kind for dump in dumps} == {"kubernetes-addresses"}
    assert [dump.lines_not_understood for dump in dumps] == [()] * len(dumps)
    # Pods that share the node's address are not what it is called by; a completed pod may have lost its own.
    assert names == {
        ("10.244.1.17", "payments/checkout-7f9c4d5b6d-x", "pod", 2),
        ("10.96.0.1", "default/kubernetes", "service", 8),
        ("10.96.44.2", "web/front", "service", 9),
        ("192.0.2.10", "web/front", "service", 9),
    }


def test_without_namespaces_the_name_stands_alone() -> None:
    lines = [
        "NAME   READY   STATUS    RESTARTS   AGE   IP           NODE",
        "web-1  1/1     Running   0          5h    10.244.1.2   n1",
    ]
    (dump,) = parse_dump_bytes("\n".join(lines).encode())
    assert [(each.address, each.name) for each in dump.address_names] == [("10.244.1.2", "web-1")]


def test_a_hosts_file_names_other_machines_by_their_first_name() -> None:
    (dump,) = parse_dump_bytes(HOSTS.encode())
    assert (dump.kind, dump.lines_not_understood) == ("hosts", ())
    assert [(each.address, each.name, each.sort) for each in dump.address_names] == [
        ("10.244.1.17", "checkout-7f9c", "host"), ("192.0.2.7", "payments.example", "host"),
    ]  # fmt: skip
