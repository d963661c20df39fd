"""Other names for what must not be told: the same one everywhere, and none that can be turned back from outside."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

HIDDEN = "•••"


@dataclass(frozen=True)
class Hiding:
    """What a link keeps to its maker."""

    addresses: bool
    """Addresses, names of files, machines, capture points, and the label."""
    payload: bool
    """Words of messages: paths, hosts, lookups, programs."""


KEPT_ADDRESSES = frozenset(
    {
        # Addresses that mean the same everywhere; diagnoses of metadata services are about them.
        "0.0.0.0", "127.0.0.1", "255.255.255.255", "::", "::1",
        "169.254.169.254", "169.254.170.2", "169.254.170.23", "fd00:ec2::254", "fd00:ec2::23", "100.100.100.200",
    }
)  # fmt: skip
INTERFACE = re.compile(
    r"any|lo|(?:interface |(?:br|cni|eth|em|wlan|docker|veth|cali|lxc|tunl|tun|tap|wg|bond|team|vlan|gre|ifb|vxlan|"
    r"geneve|flannel|kube-ipvs|ipvs|ovs|nodelocaldns))(?:[-_.@:]|if|[0-9a-f])*|(?:en|wl)[ops]\d[\dsfdnp@if.]*|"
    r"cilium_(?:host|net|vxlan)|lxc_health|docker_gwbridge|vxlan\.calico|ovs-system|cni-podman\d+"
)
"""Names that kernels and network plugins give, with numbers at most; others are somebody's words, a file's, or, as
``enx…``, hold a hardware address."""
_V4 = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w]|\.\d)")
_V6 = re.compile(r"(?<![\w:.])[0-9a-fA-F:]{0,39}:[0-9a-fA-F:]*:[0-9a-fA-F:.]*(?![\w:])")
_MAC = re.compile(r"(?<![\w:])(?:[0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}(?![\w:])")
_TOKEN = re.compile(r"[^\s\"'`,;()<>{}\[\]|→]+")
_URL = re.compile(r"(?P<host>[\w.:•-]+:\d+|https?://[^/\s]+)(?P<path>/\S*)")
_TAIL = ".:!?"


class Names:
    """Names of one investigation: `told` maps what it says to what is shown; the rest is computed with a key."""

    def __init__(self, told: dict[str, str], phrases: Iterable[str], key: bytes, hiding: Hiding) -> None:
        """`phrases` are those of `told` that may hold blanks or stand within a word of a text."""
        self.hiding = hiding
        self._told = told
        self._key = key
        self._origins = {shown: text for text, shown in told.items()}
        self._phrases = sorted(set(phrases) & told.keys(), key=len, reverse=True)

    def origin(self, shown: str) -> str | None:
        """What a shown name stands for."""
        return self._origins.get(shown)

    def is_shown(self, text: str) -> bool:
        """Whether it is one of the names that stand for something."""
        return text in self._origins

    def text(self, text: str) -> str:
        """The text with every private name in it replaced."""
        whole = self._told.get(text)
        if whole is not None:
            return whole
        if self._pattern is not None:
            text = self._pattern.sub(lambda found: self._told[found[0]], text)
        text = _TOKEN.sub(lambda found: self._token(found[0]), text)
        if not self.hiding.addresses:
            return text
        text = _MAC.sub(lambda found: self._computed("mac", found[0].lower()), text)
        text = _V4.sub(lambda found: self._address(found[0]), text)
        return _V6.sub(lambda found: self._address(found[0]), text)

    @cached_property
    def _pattern(self) -> re.Pattern[str] | None:
        if not self._phrases:
            return None
        return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, self._phrases))})(?![\w-])")

    def _token(self, token: str) -> str:
        bare = token.rstrip(_TAIL)
        shown = self._told.get(bare) or self._told.get(bare.lower())
        if shown is not None:
            return shown + token[len(bare) :]
        host, colon, port = bare.rpartition(":")
        if colon and port.isdecimal() and host in self._told:
            return f"{self._told[host]}:{port}{token[len(bare) :]}"
        url = _URL.fullmatch(bare)
        if url:
            path = url["path"]
            return f"{self._token(url['host'])}{self._told.get(path, '/' + HIDDEN) if path != '/' else path}"
        return token

    def _address(self, text: str) -> str:
        try:
            address = ipaddress.ip_address(text)
        except ValueError:
            return text
        plain = str(address)
        if plain in KEPT_ADDRESSES or address.is_multicast:
            return text
        return self._told.get(plain) or self._computed("host", plain)

    def _computed(self, sort: str, text: str) -> str:
        return f"{sort}-{hmac.new(self._key, text.encode(), hashlib.sha256).hexdigest()[:8]}"
