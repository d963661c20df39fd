"""Addresses that an object of Kubernetes has, each with the time during which it was its own.

A pod has its address from `status.startTime` on, until its grace period ends (`metadata.deletionTimestamp`) or until
its last container ended. A pod in the node's network has the node's address, which is named by the node.
"""

from __future__ import annotations

from collections.abc import Iterator

from backend.forensics.dumps import AddressName
from workers.decode.dumps.fields import canonical_address
from workers.decode.objects.models import Endpoint, KubernetesObject
from workers.decode.objects.times import time_ns

READ_KINDS = ("Pod", "Service", "Node", "EndpointSlice", "Endpoints")
_OVER = ("Succeeded", "Failed")


def names_of(each: KubernetesObject, kind: str, line: int) -> Iterator[AddressName]:
    """The addresses of the object; none of a kind that has none."""
    if kind == "Pod":
        yield from _of_pod(each, line)
    elif kind == "Service":
        yield from _of_service(each, line)
    elif kind == "Node":
        yield from _of_node(each, line)
    elif kind in ("EndpointSlice", "Endpoints"):
        yield from _of_endpoints(each, line)


def full_name(namespace: str, name: str) -> str:
    """``payments/checkout-7f9``."""
    return f"{namespace}/{name}" if namespace else name


def _of_pod(pod: KubernetesObject, line: int) -> Iterator[AddressName]:
    if pod.spec.host_network or not pod.metadata.name:
        return
    texts = [pod.status.pod_ip, *(each.ip for each in pod.status.pod_ips or ())]
    name = full_name(pod.metadata.namespace, pod.metadata.name)
    begin = time_ns(pod.status.started) or time_ns(pod.metadata.created)
    for address in _addresses(texts):
        yield AddressName(line, address, name, "pod", begin, _end_of(pod, begin))


def _end_of(pod: KubernetesObject, begin: int | None) -> int | None:
    """A pod that is over keeps its address in the listing, though others may have it: without a known end its time
    is its first moment."""
    ends = [time for time in [time_ns(pod.metadata.deleted)] if time is not None]
    if pod.status.phase in _OVER:
        states = [each.state.terminated for each in pod.status.containers or ()]
        finished = [time for state in states if state and (time := time_ns(state.at)) is not None]
        ends += [max(finished)] if finished else [begin or 0]
    return min(ends) if ends else None


def _of_service(service: KubernetesObject, line: int) -> Iterator[AddressName]:
    spec, balancer = service.spec, service.status.load_balancer
    texts = [spec.cluster_ip, *(spec.cluster_ips or ()), *(spec.external_ips or ())]
    texts += [each.ip for each in balancer.ingress or ()]
    name = full_name(service.metadata.namespace, service.metadata.name)
    for address in _addresses(texts) if service.metadata.name else ():
        yield AddressName(line, address, name, "service", time_ns(service.metadata.created))


def _of_node(node: KubernetesObject, line: int) -> Iterator[AddressName]:
    texts = [each.address for each in node.status.addresses or () if each.type.endswith("IP")]
    for address in _addresses(texts) if node.metadata.name else ():
        yield AddressName(line, address, node.metadata.name, "node", time_ns(node.metadata.created))


def _of_endpoints(each: KubernetesObject, line: int) -> Iterator[AddressName]:
    """A slice names its pods, and not since when they have their addresses."""
    listed = list(each.endpoints or ())
    for subset in each.subsets or ():
        listed += [*(subset.addresses or ()), *(subset.not_ready or ())]
    for endpoint in listed:
        target = endpoint.target
        if target is not None and target.kind == "Pod" and target.name:
            name = full_name(target.namespace or each.metadata.namespace, target.name)
            for address in _addresses(_texts_of(endpoint)):
                yield AddressName(line, address, name, "pod")


def _texts_of(endpoint: Endpoint) -> list[str]:
    return [*(endpoint.addresses or ()), endpoint.ip]


def _addresses(texts: list[str]) -> list[str]:
    """Different ones, in their shortest form; ``None`` is how a headless service says that it has no address."""
    found = (canonical_address(text) for text in texts if text and text != "None")
    return list(dict.fromkeys(each for each in found if each is not None))
