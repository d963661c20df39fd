"""Who had an address at a moment."""

from __future__ import annotations

from backend.forensics.dumps import AddressName, NameSort
from backend.forensics.naming.name_table import FOREVER, NameTable, SourcedName


def _name(name: str, begin: int | None, end: int | None = None, sort: NameSort = "pod") -> SourcedName:
    return SourcedName("pods.json", AddressName(1, "10.0.0.1", name, sort, begin, end))


def _at(table: NameTable, time_ns: int) -> str | None:
    found = table.name_at("10.0.0.1", time_ns)
    return None if found is None else found.named.name


def test_an_address_that_changed_pods_is_named_by_the_time() -> None:
    table = NameTable([_name("b", 200), _name("a", 100, 150), _name("c", 300)])
    assert [_at(table, time) for time in (99, 100, 149, 150, 199, 200, 299, 300, 10**18)] == [
        None, "a", "a", None, None, "b", "b", "c", "c",
    ]  # fmt: skip


def test_two_listings_of_one_pod_end_where_one_of_them_knows_it() -> None:
    table = NameTable([_name("a", 100), _name("a", 100, 150)])
    assert (_at(table, 149), _at(table, 150)) == ("a", None)


def test_two_pods_that_begin_at_once_leave_the_address_without_a_name() -> None:
    table = NameTable([_name("a", 100), _name("b", 100), _name("c", 200)])
    assert (_at(table, 150), _at(table, 200)) == (None, "c")


def test_lists_without_times_count_only_where_no_object_states_its_own() -> None:
    assert _at(NameTable([_name("a", None)]), 5) == "a"
    assert _at(NameTable([_name("a", None), _name("b", None)]), 5) is None
    assert _at(NameTable([_name("a", None), _name("b", 100)]), 5) is None
    assert _at(NameTable([_name("proxy", None), _name("node-1", None, sort="node")]), 5) == "node-1"


def test_what_others_call_an_address_fills_the_time_in_which_the_cluster_is_silent() -> None:
    table = NameTable([_name("a", 100, 200), _name("web.example", None, sort="host")])
    assert [_at(table, time) for time in (50, 150, 250)] == ["web.example", "a", "web.example"]
    spans = [
        (each.from_ns, each.until_ns, each.name.named.name) for each in table.intervals("10.0.0.1", 0, 299)
    ]
    assert spans == [(0, 100, "web.example"), (100, 200, "a"), (200, 300, "web.example")]


def test_an_unknown_address_has_no_name() -> None:
    table = NameTable([_name("a", 100)])
    assert (len(table), table.name_at("10.0.0.2", 100), table.intervals("10.0.0.2", 0, FOREVER)) == (
        1,
        None,
        [],
    )
