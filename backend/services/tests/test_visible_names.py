from __future__ import annotations

import sys
import unicodedata

import pytest

from backend.services.receive_upload import checked_name
from backend.services.visible_names import visible_name


@pytest.mark.promise("Names of files and labels hold no control and no bidirectional characters.")
def test_no_name_holds_what_nobody_sees() -> None:
    everything = "".join(map(chr, range(sys.maxunicode + 1)))
    left = visible_name(everything)
    assert {unicodedata.category(each) for each in left}.isdisjoint({"Cc", "Cf", "Cs", "Cn", "Zl", "Zp"})
    assert "\u202e" not in left


@pytest.mark.parametrize("name", ["eth0 (2nd).pcap", "Käthe.pcapng", "пакеты.pcap", "捕获.pcap"])
def test_what_is_seen_stays(name: str) -> None:
    assert checked_name(name) == name


def test_a_name_cannot_turn_its_end_around() -> None:
    assert checked_name("acme\u202egnp.pcap") == "acmegnp.pcap"
