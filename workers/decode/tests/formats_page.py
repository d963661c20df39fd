"""``python -m workers.decode.tests.formats_page`` writes docs/formats.md from the lists that the tests run over."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from workers.decode.dumps.formats import DumpFormat, dump_formats
from workers.decode.loop.records import MAX_DEPTH, MAX_FRAGMENTED, MAX_PATHS
from workers.decode.tests.container_formats import CONTAINERS
from workers.decode.tests.encapsulations import ENCAPSULATIONS, Encapsulation
from workers.decode.undecoded import link_type_name

PAGE: Final = Path(__file__).parents[3] / "docs" / "formats.md"

_HEAD: Final = """# What is read, and to what depth

Written by `python -m workers.decode.tests.formats_page` from the lists that the tests run over; change those,
not this page.

Every frame of a capture is counted. What is not understood up to a transport header is named, with its
number, in the report's warnings: link types, EtherTypes, IP protocols, headers cut by the snap length.
"""

_NOTES: Final = f"""## Tunnel paths

- The innermost connection is analysed. What it was wrapped in stays on every packet and connection as the
  number of a path, at most {MAX_PATHS - 2:,} of them in a capture. A single VLAN tag on an otherwise bare
  frame is told by the `vlan` column alone.
- Both directions of a tunnel are one path: outer addresses are two ends, not sender and receiver.
- Equal addresses and ports in different networks are different connections. VLAN ids, VNIs, VSIDs, GRE keys
  and PPPoE sessions make a network. MPLS labels, TEIDs and L2TP sessions do not, because each direction has
  its own; nor do ERSPAN sessions, which name a mirror, and outer addresses.
- A UDP port makes only a candidate: the header's fixed bits and an IP header inside must agree with it, or it
  stays UDP.
- WireGuard (told by content), ESP, ESP in UDP and encrypted 802.11 are named and stay closed.
- Up to {MAX_DEPTH} layers; what is wrapped deeper is counted.
- Cut by the snap length inside a header: what came before is kept, and the cut is counted.

## IP

- IPv4 with options, and the authentication header. IPv6 with hop-by-hop, routing, fragment, destination,
  authentication, mobility, HIP and Shim6 headers.
- Later fragments belong to the flow of their first one, in either order, for {MAX_FRAGMENTED:,} fragmented
  packets at a time and 60 s. A TCP header that is split over fragments is put together when its pieces come
  in order. Payloads are not reassembled.
- TCP with its options, UDP, ICMP and ICMPv6 with the TCP packet that an error quotes. Other protocols are
  named.
"""


_DUMPS: Final = """## Dumps

Texts are known by their content: a file, a paste, or a shell session that holds several. Prompts, prefixes of log
collectors, CRLF and UTF-16 are taken off. Every line that is not understood is counted and shown.

JSON of `kubectl get pods,services,endpointslices,nodes -A -o json`, `docker inspect` and `crictl inspectp`, and YAML of
kubectl (`-o yaml`), are read object by object, up to 1 GiB, in any indentation and anywhere in a text: which address
was whose, and when. Of a list that is cut short the objects before the cut are used. `kubectl describe` of pods,
services and nodes names their addresses, too.

TLS key logs (`SSLKEYLOGFILE`) decrypt Wireshark's view of a connection. They are treated as credentials: their lines
are not shown, the original is for its owner and admins, and the anonymized bundle leaves them out. With
`scrub_on_upload` they are overwritten, so nothing is decrypted.

"""


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _is_link(one: Encapsulation) -> bool:
    return one.layers(1) == []


def _link(one: Encapsulation) -> str:
    return f"{one.link_type} ({link_type_name(one.link_type)})"


def _told(format_: DumpFormat) -> str:
    """The first line of the module's docstring."""
    return (format_.__doc__ or "").strip().split("\n")[0].replace("|", "\\|")


def formats_text() -> str:
    """The page."""
    links = [(one.name, _link(one), one.told or "—") for one in ENCAPSULATIONS if _is_link(one)]
    dumps = [(format_.KIND, _told(format_)) for format_ in dump_formats()]
    wrapped = [(one.name, one.told) for one in ENCAPSULATIONS if not _is_link(one)]
    containers = [(one.name, one.told, f"`{one.test}`") for one in CONTAINERS]
    parts = [
        _HEAD,
        "## Files\n\n" + _table(("container or compression", "what is read", "shown by"), containers),
        "## Link types\n\nA pcapng file may mix them.\n\n"
        + _table(("frame", "link type", "kept besides the packet"), links),
        "## Between the frame and the connection\n\n" + _table(("header", "kept in the path"), wrapped),
        _NOTES,
        _DUMPS + _table(("format", "what is read"), sorted(dumps)),
    ]
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(formats_text(), encoding="utf-8")
