from pathlib import Path

import pytest

from backend.forensics.dumps import NatRule
from workers.decode.dumps import parse_dumps

SAMPLES = Path(__file__).parent / "samples"


def rule_in(text: str) -> NatRule:
    (dump,) = parse_dumps(text)
    assert dump.lines_not_understood == ()
    (rule,) = dump.nat_rules
    return rule


def sample_rule(name: str) -> NatRule:
    return rule_in((SAMPLES / name).read_text())


def test_the_rule_of_the_incident_keeps_source_ports() -> None:
    rule = sample_rule("snat-race-iptables-save.txt")
    assert rule.text == "-A POSTROUTING -s 10.244.35.0/24 ! -o cni0 -j MASQUERADE"
    assert (rule.line, rule.chain, rule.target) == (7, "POSTROUTING", "MASQUERADE")
    assert (rule.fully_random, rule.random, rule.port_range) == (False, False, None)


@pytest.mark.parametrize("name", ["snat-race-healthy-iptables-save.txt", "snat-race-healthy-ruleset.nft"])
def test_the_remedied_rule_is_fully_random_in_both_syntaxes(name: str) -> None:
    rule = sample_rule(name)
    assert rule.fully_random
    assert not rule.random


@pytest.mark.parametrize("name", ["snat-race-exhaust-iptables-save.txt", "snat-race-exhaust-ruleset.nft"])
def test_the_port_range_is_read_in_both_syntaxes(name: str) -> None:
    assert sample_rule(name).port_range == (20_000, 20_063)


def test_nft_rules_lose_their_counters_and_keep_their_chain() -> None:
    rule = sample_rule("snat-race-ruleset.nft")
    assert rule.text == 'oifname != "cni0" ip saddr 10.244.35.0/24 masquerade'
    assert (rule.line, rule.chain, rule.syntax) == (4, "POSTROUTING", "nft")


def test_a_rule_that_drops_is_no_nat_rule() -> None:
    assert sample_rule("snat-race-emulated-ruleset.nft").line == 4


@pytest.mark.parametrize(
    ("options", "ports"),
    [
        ("SNAT --to-source 10.0.0.1", None),
        ("SNAT --to-source 10.0.0.1-10.0.0.4:1024-2048 --random", (1024, 2048)),
        ("SNAT --to-source [fd00::1]:5-6", (5, 6)),
        ("MASQUERADE --to-ports 7", (7, 7)),
        ("DNAT --to-destination 10.1.1.1:8080", (8080, 8080)),
    ],
)
def test_ports_of_iptables_targets(options: str, ports: tuple[int, int] | None) -> None:
    assert rule_in(f"*nat\n-A X -j {options}\nCOMMIT\n").port_range == ports


@pytest.mark.parametrize(
    ("statement", "ports", "fully_random"),
    [
        ("snat to 10.0.0.1:1024-65535 fully-random,persistent", (1024, 65535), True),
        ("snat ip to 10.0.0.1", None, False),
        ("snat ip6 to [fd00::1]:1-2 random", (1, 2), False),
        ("masquerade to :1-2", (1, 2), False),
    ],
)
def test_nft_statements(statement: str, ports: tuple[int, int] | None, fully_random: bool) -> None:
    rule = rule_in(f"table ip nat {{\n\tchain c {{\n\t\t{statement}\n\t}}\n}}\n")
    assert (rule.port_range, rule.fully_random) == (ports, fully_random)


def test_words_in_comments_and_names_are_no_options() -> None:
    assert not rule_in('-A POSTROUTING -m comment --comment "no --random-fully" -j MASQUERADE\n').fully_random
    text = 'table ip nat {\n\tchain c {\n\t\toifname "snat" masquerade comment "fully-random"\n\t}\n}\n'
    rule = rule_in(text)
    assert (rule.target, rule.fully_random) == ("MASQUERADE", False)


def test_rules_of_other_tables_are_no_nat_rules() -> None:
    (dump,) = parse_dumps("*mangle\n-A POSTROUTING -j MARK --set-xmark 0x1/0x1\nCOMMIT\n")
    assert (dump.nat_rules, dump.lines_not_understood) == ((), ())


def test_a_rule_with_an_open_quote_is_not_understood() -> None:
    (dump,) = parse_dumps('*nat\n-A X -m comment --comment "open -j MASQUERADE\nCOMMIT\n')
    assert dump.lines_not_understood == (2,)


def test_options_that_nft_hides_are_a_warning() -> None:
    (dump,) = parse_dumps('table ip nat {\n\tchain c {\n\t\txt target "MASQUERADE"\n\t}\n}\n')
    assert dump.nat_rules == ()
    assert "line 3" in dump.warnings[0]


def test_a_ruleset_that_ends_too_early_is_a_warning() -> None:
    (dump,) = parse_dumps("table ip nat {\n\tchain c {\n\t\tmasquerade\n")
    assert len(dump.nat_rules) == 1
    assert "incomplete" in dump.warnings[0]


def test_iptables_save_says_when_it_ran() -> None:
    (dump,) = parse_dumps((SAMPLES / "snat-race-iptables-save.txt").read_text())
    assert (dump.captured_at_ns, dump.captured_at_basis) == (1_795_223_501 * 10**9, "text")
