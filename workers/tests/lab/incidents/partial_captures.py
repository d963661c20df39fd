"""Loss, and the same without loss, in captures that do not hold everything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workers.tests.lab.hosts import counted, rule
from workers.tests.lab.incident import EVERYTHING, Case, Lab, each_share, incident
from workers.tests.lab.pcap_edits import only_between, only_from, rotate, shift, shorten
from workers.tests.lab.programs import Request, make_calls

if TYPE_CHECKING:
    from collections.abc import Callable

    from workers.tests.lab.star import Star

CONNECTIONS = 120
OVER_S = 5
SNAP_BYTES = 96
CLOCK_MS = 300
LOSS = ("path-loss", "return-path-loss")


def _run(lab: Lab, edit: Callable[[Lab, Star], None], lossy: bool) -> list[Case]:
    """The captures are changed after they were taken; the truth is not."""
    star = lab.star()
    star.serve()
    if lossy:
        per_mille = lab.random.randint(25, 45)
        rule(star.router, "lost", f"numgen random mod 1000 < {per_mille}", "drop")
    sizes = [400, lab.random.randrange(8, 30) * 1000]
    requests = [Request(f"/bytes/{size}") for size in sizes] + [Request("/up/9", upload_bytes=sizes[1])]
    with lab.recorded(star):
        lab.calls = make_calls(star.calls(CONNECTIONS, OVER_S, requests))
    if lossy:
        lab.truth["dropped"] = counted(star.router, "lost")
    edit(lab, star)
    allowed = LOSS if lossy else ()
    files = sorted(path.name for path in lab.folder.glob("*.pcap"))
    return [Case("all", EVERYTHING, allowed=allowed), *each_share(files, allowed)]


def _late_and_early(lab: Lab, star: Star) -> None:
    """The client's capture begins late, the node's ends early, the server's lacks both."""
    only_between(lab.folder / "pod0.pcap", lab.random.uniform(1, 3), 60)
    only_between(lab.folder / "node.pcap", 0, lab.random.uniform(2, 4))
    only_between(lab.folder / "server0.pcap", 1, lab.random.uniform(3, 4))


def _rotated(lab: Lab, star: Star) -> None:
    for point in star.points:
        rotate(lab.folder / point.file, lab.random.randint(2, 4))


def _snapped(lab: Lab, star: Star) -> None:
    for point in star.points:
        shorten(lab.folder / point.file, SNAP_BYTES)


def _one_direction(lab: Lab, star: Star) -> None:
    """The client's and the server's capture hold what these sent."""
    only_from(lab.folder / "pod0.pcap", star.pod_addresses[0])
    only_from(lab.folder / "server0.pcap", star.server_addresses[0])


def _two_clocks(lab: Lab, star: Star) -> None:
    """The server's clock is ahead."""
    shift(lab.folder / "server0.pcap", lab.random.choice((-1, 1)) * CLOCK_MS)


_EDITS: dict[str, tuple[Callable[[Lab, Star], None], str]] = {
    "late-and-early": (_late_and_early, "captures begin late or end early"),
    "rotated": (_rotated, "rotated captures"),
    "snapped": (_snapped, "captures with 96 bytes of each packet"),
    "one-direction": (_one_direction, "captures at the ends hold one direction each"),
    "two-clocks": (_two_clocks, "the server's clock is 300 ms off"),
}


def _register(name: str, edit: Callable[[Lab, Star], None], what: str) -> None:
    @incident(f"loss-{name}", "path-loss", f"loss on the path; {what}")
    def lossy(lab: Lab) -> list[Case]:
        return _run(lab, edit, lossy=True)

    @incident(f"well-{name}", None, f"twin of loss-{name}: nothing is lost; {what}")
    def well(lab: Lab) -> list[Case]:
        return _run(lab, edit, lossy=False)


for _name, (_edit, _what) in _EDITS.items():
    _register(_name, _edit, _what)
