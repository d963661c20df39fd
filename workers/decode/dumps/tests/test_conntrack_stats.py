from pathlib import Path

from workers.decode.dumps import parse_dumps

SAMPLES = Path(__file__).parent / "samples"


def test_each_cpu_of_conntrack_s_is_a_row_with_its_line() -> None:
    (dump,) = parse_dumps((SAMPLES / "snat-race-conntrack-S-after.txt").read_text())
    assert dump.kind == "conntrack-stats"
    assert [(row.line, row.cpu) for row in dump.counters] == [(1, 0), (2, 1)]
    assert [row.counters["insert_failed"] for row in dump.counters] == [27, 2]
    assert dump.lines_not_understood == ()


def test_the_hexadecimal_table_of_proc_says_the_same_in_the_same_names() -> None:
    (proc,) = parse_dumps((SAMPLES / "snat-race-proc-stat-nf_conntrack.txt").read_text())
    (conntrack_s,) = parse_dumps((SAMPLES / "snat-race-conntrack-S-after.txt").read_text())
    assert proc.kind == "conntrack-stats"
    for of_proc, of_tool in zip(proc.counters, conntrack_s.counters, strict=True):
        shared = {name: value for name, value in of_proc.counters.items() if name in of_tool.counters}
        assert shared == of_tool.counters
        assert "entries" not in of_proc.counters


def test_the_names_of_older_kernels_are_kept() -> None:
    counters = "searched=4 found=1 new=2 invalid=6 ignore=7 delete=1 delete_list=0 insert_failed=9 unknown1=3"
    (dump,) = parse_dumps(f"cpu=3   \t{counters} \n")
    assert dump.counters[0].cpu == 3
    assert dump.counters[0].counters["delete_list"] == 0
    assert dump.counters[0].counters["unknown1"] == 3


def test_the_header_of_kernel_5_10_is_read_by_its_names() -> None:
    text = (
        "entries  clashres found new invalid ignore delete delete_list insert insert_failed drop early_drop "
        "icmp_error  expect_new expect_create expect_delete search_restart\n"
        "00000014  00000001 00000002 00000000 00000000 00000000 00000000 00000000 00000000 0000000f 00000010 "
        "00000000 00000003  00000000 00000000 00000000 00000000\n"
    )
    (dump,) = parse_dumps(text)
    counters = dump.counters[0].counters
    assert (counters["clash_resolve"], counters["insert_failed"], counters["drop"]) == (1, 15, 16)
    assert counters["error"] == 3


def test_two_runs_in_a_row_are_two_dumps() -> None:
    before = (SAMPLES / "snat-race-conntrack-S-before.txt").read_text()
    after = (SAMPLES / "snat-race-conntrack-S-after.txt").read_text()
    first, second = parse_dumps(before + after)
    assert [row.line for row in first.counters] == [1, 2]
    assert [row.line for row in second.counters] == [3, 4]
    assert second.counters[0].counters["insert_failed"] == 27


def test_two_tables_of_proc_in_a_row_are_two_dumps() -> None:
    table = (SAMPLES / "proc-stat-nf_conntrack-tablefull.txt").read_text().rstrip() + "\n"
    assert [len(dump.counters) for dump in parse_dumps(table + table)] == [2, 2]


def test_a_counter_that_is_no_number_is_not_understood() -> None:
    (dump,) = parse_dumps("cpu=0 found=1 drop=2\ncpu=1 found=1 drop=many\n")
    assert dump.lines_not_understood == (2,)
    assert len(dump.counters) == 1


def test_the_size_of_the_table_is_a_gauge_told_once() -> None:
    text = (
        "entries  clashres found new invalid insert_failed drop\n"
        "00000256  00000000 0000009d 00000000 00000000 0000001b 0000001b\n"
        "00000256  00000000 00000001 00000000 00000000 00000000 00000000\n"
    )
    (dump,) = parse_dumps(text)
    assert [(row.line, row.cpu, row.counters) for row in dump.gauges] == [(2, None, {"entries": 0x256})]
    assert all("entries" not in row.counters for row in dump.counters)
    (plain,) = parse_dumps("cpu=0   \tfound=1 insert_failed=2\n")
    assert plain.gauges == ()
