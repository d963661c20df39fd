"""Listings of what programs did: kernel probes, strace, stacks, CPU quotas, driver counters."""

import pytest

from backend.forensics.dumps import CounterRow, Dump, PacketProcess, StackSamples, SystemCall
from workers.decode.dumps import parse_dumps

PROBE = """\
TGID    PID     PROCESS NAME    ICMP_SEQ
0       0       swapper/11      770
4041    4108    cadvisor        771
76      76      ksoftirqd/11    772
512     512     tmux: server    65535
[...]
"""


def read(text: str) -> Dump:
    (dump,) = parse_dumps(text)
    assert dump.lines_not_understood == ()
    return dump


def test_who_ran_when_each_packet_was_taken() -> None:
    dump = read(PROBE)
    assert dump.kind == "packet-processes"
    assert dump.packet_processes == (
        PacketProcess(2, 0, 0, "swapper/11", 770),
        PacketProcess(3, 4041, 4108, "cadvisor", 771),
        PacketProcess(4, 76, 76, "ksoftirqd/11", 772),
        PacketProcess(5, 512, 512, "tmux: server", 65_535),
    )
    assert [p.idle for p in dump.packet_processes] == [True, False, False, False]


def test_a_listing_that_lost_its_header_is_known_by_the_idle_cpu() -> None:
    dump = read("0       0       swapper/3      12\n4041    4108    cadvisor        13\n")
    assert [p.sequence for p in dump.packet_processes] == [12, 13]


@pytest.mark.parametrize(("sequence", "understood"), [(65_535, True), (65_536, False)])
def test_a_sequence_number_has_sixteen_bits(sequence: int, understood: bool) -> None:
    (dump,) = parse_dumps(PROBE + f"1 1 init {sequence}\n")
    assert dump.lines_not_understood == (() if understood else (7,))


STRACE = """\
strace: Process 10436 attached
[pid 10436] 06:32:46.123456 read(6</sys/fs/cgroup/memory/memory.stat>, "cache 154 = 3\\nrss"..., 4096) = 658 <0.179438>
[pid 10437] <... futex resumed> )       = 0 <0.156784>
1795222120.008962 openat(AT_FDCWD, "/proc/self/stat", O_RDONLY|O_CLOEXEC) = 3 <0.000012>
[pid 10436] read(7</proc/9/smaps>,  <unfinished ...>
[pid 10437] write(1, "token=secret", 12) = 12 <0.000020>
[pid 10436] <... read resumed> "5f4"..., 4096) = 4096 <1.500000>
10438 recvfrom(3, 0x7ff, 4096, 0, NULL, NULL) = -1 EAGAIN (Resource temporarily unavailable) <0.000009>
[pid 10436] +++ exited with 0 +++
"""


def test_system_calls_with_what_they_took() -> None:
    dump = read(STRACE)
    assert dump.kind == "strace"
    assert dump.system_calls == (
        SystemCall(2, 10436, "", "read", "/sys/fs/cgroup/memory/memory.stat", 0.179438, None, 23_566.123456),
        SystemCall(3, 10437, "", "futex", "", 0.156784),
        SystemCall(4, None, "", "openat", "/proc/self/stat", 0.000012, 1_795_222_120_008_962_000),
        SystemCall(6, 10437, "", "write", "", 0.000020),
        SystemCall(7, 10436, "", "read", "/proc/9/smaps", 1.5),
        SystemCall(8, 10438, "", "recvfrom", "", 0.000009),
    )


def test_what_was_read_and_written_is_not_kept() -> None:
    assert "secret" not in repr(read(STRACE))


STACKS = """\
cadvisor;runtime.goexit;syscall.Read;entry_SYSCALL_64;vfs_read;memory_stat_show 41
swapper;cpu_startup_entry;do_idle 1203
nginx-4041;__libc_start_main;ngx_process_events 7
"""


def test_collapsed_stacks() -> None:
    dump = read(STACKS)
    assert dump.kind == "collapsed-stacks"
    frames = ("runtime.goexit", "syscall.Read", "entry_SYSCALL_64", "vfs_read", "memory_stat_show")
    assert dump.stacks[0] == StackSamples(1, "cadvisor", frames, 41)
    assert [(s.process, s.samples) for s in dump.stacks[1:]] == [("swapper", 1203), ("nginx", 7)]


V2 = "usage_usec 812\nuser_usec 612\nsystem_usec 200\nnr_periods 1203\nnr_throttled 211\nthrottled_usec 18230\n"
V1 = "nr_periods 1204\nnr_throttled 212\nthrottled_time 18230412\n"


def totals(dump: Dump) -> dict[str, int]:
    return {name: value for row in dump.counters for name, value in row.counters.items()}


def test_quotas_of_both_versions_in_one_unit() -> None:
    first, second = parse_dumps(V2 + "$ cat /sys/fs/cgroup/cpu/cpu.stat\n" + V1)
    assert totals(first)["throttled_usec"] == 18_230
    assert totals(second) == {"nr_periods": 1204, "nr_throttled": 212, "throttled_usec": 18_230}


@pytest.mark.parametrize("listing", [V2, V1])
def test_a_quota_shown_twice_is_two_dumps(listing: str) -> None:
    assert [len(dump.counters) for dump in parse_dumps(listing + listing)] == [listing.count("\n")] * 2


def test_counters_of_a_driver() -> None:
    text = "NIC statistics:\n     rx_packets: 123456\n     linklocal_allowance_exceeded: 7\n     [0]: rx_drops: 2\n"
    dump = read(text.replace("\n", "\r\n"))
    assert dump.kind == "ethtool-stats"
    assert totals(dump) == {"rx_packets": 123_456, "linklocal_allowance_exceeded": 7, "[0]: rx_drops": 2}
    assert dump.counters[0] == CounterRow(2, None, {"rx_packets": 123_456})


def test_a_session_with_all_of_them() -> None:
    parts = [PROBE, STRACE, STACKS, V2]
    commands = ["icmp_probe", "strace -fTp 1", "cat out.folded", "cat /sys/fs/cgroup/cpu.stat"]
    text = "".join(f"root@node-7:~# {c}\n{part}" for c, part in zip(commands, parts, strict=True))
    dumps = parse_dumps(text)
    kinds = ["packet-processes", "strace", "collapsed-stacks", "cpu-stat"]
    assert [(dump.kind, dump.host, dump.lines_not_understood) for dump in dumps] == [
        (kind, "node-7", ()) for kind in kinds
    ]
