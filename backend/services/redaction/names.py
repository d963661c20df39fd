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
<<<<<<< HEAD
        self._origins = {shown: text for text, shown in told.items()}
        self._phrases = sorted(set(phrases) & told.keys(), key=len, reverse=True)
=======
        texts = list(dict.fromkeys(texts))
        hidden = [each for each in texts if (hiding.payload if each.is_message else hiding.addresses)]
        names = pseudonyms(key, hidden)
        self._told = {**{each.text: each.text for each in texts}, **names}
        self._origins = {shown: text for text, shown in self._told.items()}
        phrases = [text for text in self._told if _is_phrase(text)]
        self._phrases = Phrases(phrases)
        self._strange = Phrases(text for text in phrases if not all(map(is_own, TOKEN.findall(text))))
        """Those that cannot be words of ours: of a composed text the others are renamed where they were put."""
        self._composed = composed or {}
        self.text = lru_cache(_TEXTS_KEPT)(self._text)
        """The text with every private name in it replaced."""
>>>>>>> 31fcfa5 (Rename words that read like ours only where they were put, and test keys and parts)

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
<<<<<<< HEAD
        if self._pattern is not None:
            text = self._pattern.sub(lambda found: self._told[found[0]], text)
        text = _TOKEN.sub(lambda found: self._token(found[0]), text)
        if not self.hiding.addresses:
            return text
        text = _MAC.sub(lambda found: self._computed("mac", found[0].lower()), text)
        text = _V4.sub(lambda found: self._address(found[0]), text)
        return _V6.sub(lambda found: self._address(found[0]), text)
=======
        parts = self._composed.get(text)
        if parts is None:
            return self._ours(text, closed=self.hiding.addresses)
        return "".join(
            self._word(part)
            if part.sort
            else self._ours(part.text, closed=self.hiding.addresses, phrases=self._strange)
            for part in parts
        )
>>>>>>> 31fcfa5 (Rename words that read like ours only where they were put, and test keys and parts)

    @cached_property
    def _pattern(self) -> re.Pattern[str] | None:
        if not self._phrases:
            return None
        return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, self._phrases))})(?![\w-])")

    def _token(self, token: str) -> str:
        bare = token.rstrip(_TAIL)
        shown = self._told.get(bare) or self._told.get(bare.lower())
        if shown is not None:
<<<<<<< HEAD
            return shown + token[len(bare) :]
        host, colon, port = bare.rpartition(":")
        if colon and port.isdecimal() and host in self._told:
            return f"{self._told[host]}:{port}{token[len(bare) :]}"
=======
            return shown
        if part.sort == "rule":
            return self._ours(part.text, closed=True)
        is_public = part.text in ("", ".") or (part.sort == "place" and INTERFACE.fullmatch(part.text))
        return part.text if is_public else HIDDEN

    def _ours(self, text: str, *, closed: bool, phrases: Phrases | None = None) -> str:
        return "".join(
            stretch if stands else TOKEN.sub(lambda found: self._token(found[0], closed=closed), stretch)
            for stretch, stands in (phrases or self._phrases).replaced(text, self._told.__getitem__)
        )

    def _token(self, token: str, *, closed: bool) -> str:
        bare = token.rstrip(TAIL)
        tail = token[len(bare) :]
        shown = self._known(bare)
        if shown is not None:
            return shown + tail
>>>>>>> 31fcfa5 (Rename words that read like ours only where they were put, and test keys and parts)
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
