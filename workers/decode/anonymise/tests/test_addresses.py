import ipaddress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workers.decode.anonymise.addresses import AddressMap
from workers.decode.anonymise.prefix_tree import PrefixTree

KEY = bytes(range(32))
MAP = AddressMap(KEY)
PUBLISHED_KEY = bytes(
    (21, 34, 23, 141, 51, 164, 207, 128, 19, 10, 91, 22, 73, 144, 125, 16,
     216, 152, 143, 131, 121, 121, 101, 39, 98, 87, 76, 45, 42, 132, 34, 2)
)  # fmt: skip


def v4(text: str) -> str:
    return str(ipaddress.IPv4Address(MAP.ipv4(int(ipaddress.IPv4Address(text)))))


def v6(text: str) -> str:
    return str(ipaddress.IPv6Address(MAP.ipv6(int(ipaddress.IPv6Address(text)))))


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("128.11.68.132", "135.242.180.132"),
        ("129.118.74.4", "134.136.186.123"),
        ("130.132.252.244", "133.68.164.234"),
        ("141.223.7.43", "141.167.8.160"),
        ("152.163.225.39", "151.140.114.167"),
        ("192.102.249.13", "252.138.62.131"),
    ],
)
def test_without_kept_blocks_it_is_crypto_pan_as_its_authors_published_it(
    address: str, expected: str
) -> None:
    tree = PrefixTree(32, PUBLISHED_KEY)
    assert tree.map(int(ipaddress.IPv4Address(address))) == int(ipaddress.IPv4Address(expected))


def shared(one: int, other: int, width: int) -> int:
    return width - (one ^ other).bit_length()


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(0, 32), st.integers(0, 2**32 - 1))
def test_two_ipv4_addresses_share_as_many_leading_bits_as_before(one: int, length: int, rest: int) -> None:
    low = (1 << (32 - length)) - 1
    other = one & ~low | rest & low
    assert shared(MAP.ipv4(one), MAP.ipv4(other), 32) == shared(one, other, 32)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**128 - 1), st.integers(0, 128), st.integers(0, 2**128 - 1))
def test_two_ipv6_addresses_share_as_many_leading_bits_as_before(one: int, length: int, rest: int) -> None:
    low = (1 << (128 - length)) - 1
    other = one & ~low | rest & low
    assert shared(MAP.ipv6(one), MAP.ipv6(other), 128) == shared(one, other, 128)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**48 - 1), st.integers(0, 48), st.integers(0, 2**48 - 1))
def test_two_macs_share_as_many_leading_bits_as_before(one: int, length: int, rest: int) -> None:
    low = (1 << (48 - length)) - 1
    other = one & ~low | rest & low
    assert shared(MAP.mac(one), MAP.mac(other), 48) == shared(one, other, 48)


@pytest.mark.parametrize(
    "address",
    [
        "169.254.169.254",
        "169.254.170.2",
        "127.0.0.53",
        "224.0.0.251",
        "255.255.255.255",
        "0.0.0.0",
        "100.100.100.200",
    ],
)
def test_addresses_that_mean_something_stay(address: str) -> None:
    assert v4(address) == address


@pytest.mark.parametrize("address", ["fd00:ec2::254", "::1", "::", "ff02::1", "ff02::fb", "fd20:ce::254"])
def test_ipv6_addresses_that_mean_something_stay(address: str) -> None:
    assert v6(address) == address


@pytest.mark.parametrize("network", ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10"])
def test_private_addresses_move_within_their_block(network: str) -> None:
    block = ipaddress.IPv4Network(network)
    some = [str(block[k * 65_521 % block.num_addresses + 1]) for k in range(1, 40)]
    moved = [v4(each) for each in some]
    assert all(ipaddress.IPv4Address(each) in block for each in moved)
    assert sum(a != b for a, b in zip(some, moved, strict=True)) > 30


def test_ipv6_with_ipv4_inside_follows_the_ipv4_address() -> None:
    assert v6("::ffff:10.1.2.3") == str(ipaddress.IPv6Address(f"::ffff:{v4('10.1.2.3')}"))
    assert v6("64:ff9b::8.8.4.4") == str(ipaddress.IPv6Address(f"64:ff9b::{v4('8.8.4.4')}"))


def test_link_local_and_unique_local_stay_what_they_are() -> None:
    assert ipaddress.IPv6Address(v6("fe80::42:acff:fe11:2")) in ipaddress.IPv6Network("fe80::/64")
    assert v6("fe80::42:acff:fe11:2") != "fe80::42:acff:fe11:2"
    assert ipaddress.IPv6Address(v6("fd12:3456::9")) in ipaddress.IPv6Network("fc00::/7")


def test_solicited_node_addresses_and_their_macs_hide_the_end_of_the_address_alike() -> None:
    group = int(ipaddress.IPv6Address("ff02::1:ffab:cdef"))
    mac = 0x3333FFABCDEF
    assert MAP.ipv6(group) >> 24 == group >> 24
    assert MAP.ipv6(group) != group
    assert MAP.mac(mac) & 0xFFFFFF == MAP.ipv6(group) & 0xFFFFFF


def test_macs_keep_the_group_and_local_bits_and_what_everybody_uses() -> None:
    for mac in (0x0242AC110002, 0x001122334455, 0xFE1122334455):
        assert MAP.mac(mac) >> 40 & 3 == mac >> 40 & 3
        assert MAP.mac(mac) != mac
    for mac in (0xFFFFFFFFFFFF, 0, 0x01005E0000FB, 0x333300000001, 0xEEEEEEEEEEEE):
        assert MAP.mac(mac) == mac


def test_another_key_makes_other_addresses() -> None:
    other = AddressMap(bytes(32))
    asked = [10 << 24 | n * 7_919 for n in range(50)]
    assert sum(other.ipv4(each) != MAP.ipv4(each) for each in asked) > 45
