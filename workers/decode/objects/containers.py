"""Addresses of containers (`docker inspect`) and of pod sandboxes (`crictl inspectp`)."""

from __future__ import annotations

from collections.abc import Iterator

from backend.forensics.dumps import AddressName
from workers.decode.dumps.fields import canonical_address
from workers.decode.objects.kubernetes import full_name
from workers.decode.objects.models import DockerContainer, Sandbox
from workers.decode.objects.times import time_ns


def names_of_container(container: DockerContainer, line: int) -> Iterator[AddressName]:
    """One name an address; a container that does not run had it until it finished."""
    network, state = container.network, container.state
    places = [network, *(network.networks or {}).values()]
    found = (canonical_address(text) for place in places for text in (place.v4, place.v6) if text)
    end = None if state.running else time_ns(state.finished)
    for address in dict.fromkeys(each for each in found if each is not None):
        name = container.name.removeprefix("/")
        yield AddressName(line, address, name, "container", time_ns(state.started), end)


def names_of_sandbox(sandbox: Sandbox, line: int) -> Iterator[AddressName]:
    """A sandbox is a pod on its node."""
    status = sandbox.status
    texts = [status.network.ip, *(each.ip for each in status.network.additional or ())]
    for address in filter(None, map(canonical_address, filter(None, texts))):
        name = full_name(status.metadata.namespace, status.metadata.name)
        yield AddressName(line, address, name, "pod", time_ns(status.created))
