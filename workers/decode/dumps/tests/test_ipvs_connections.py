from backend.forensics.addresses import address_halves
from backend.forensics.dumps import CounterRow, IpvsConnection, IpvsTimeouts
from workers.decode.dumps import parse_dumps

LISTED = """\
IPVS connection entries
pro expire state       source             virtual            destination
TCP 01:49  TIME_WAIT   10.58.14.13:11204  10.96.0.100:80     10.244.1.13:8080
TCP 179:52 ASSURED     10.58.14.13:0      10.96.0.100:443    10.244.1.11:8080
TCP 01:53  TIME_WAIT   [fd00:10::13]:13420 [fd00:96::100]:80  [fd00:244::13]:8080
"""
PROC = """\
Pro FromIP   FPrt ToIP     TPrt DestIP   DPrt State       Expires PEName PEData
TCP 0A3A0E0D 2BC4 0A600064 0050 0AF4010D 1F90 TIME_WAIT       109
TCP 0A3A0E0D 0000 0A600064 01BB 0AF4010B 1F90 ASSURED       10792
TCP fd00:0010:0000:0000:0000:0000:0000:0013 346C fd00:0096:0000:0000:0000:0000:0000:0100 0050 \
fd00:0244:0000:0000:0000:0000:0000:0013 1F90 TIME_WAIT       113
"""
STATS = """\
   Total Incoming Outgoing         Incoming         Outgoing
   Conns  Packets  Packets            Bytes            Bytes
     559     1B4E     1AC8            75D72            7B785

 Conns/s   Pkts/s   Pkts/s          Bytes/s          Bytes/s
       C       3A       3A              FB5             10B0
"""
PER_CPU = """\
       Total Incoming Outgoing         Incoming         Outgoing
CPU    Conns  Packets  Packets            Bytes            Bytes
  0        C       34       2C              C2E              B76
  1        8       36       36              CCC             1119
  ~       14       6A       62             18FA             1C8F

     Conns/s   Pkts/s   Pkts/s          Bytes/s          Bytes/s
           1        4        4              104              129
"""


def without_lines(entries: object) -> list[tuple[object, ...]]:
    return [tuple(vars(entry).values())[1:] for entry in entries]  # type: ignore[attr-defined]


def test_ipvsadm_and_the_kernel_list_the_same_connections() -> None:
    (listed,), (proc,) = parse_dumps(LISTED), parse_dumps(PROC)
    assert (listed.kind, proc.kind) == ("ipvs-connections", "ipvs-connections")
    assert listed.ipvs_connections[0] == IpvsConnection(
        3, "TCP", 109, "TIME_WAIT", "10.58.14.13", 11204, "10.96.0.100", 80, "10.244.1.13", 8080
    )
    assert without_lines(listed.ipvs_connections) == without_lines(proc.ipvs_connections)


def test_addresses_join_with_those_of_packets() -> None:
    (dump,) = parse_dumps(LISTED)
    rows = dump.ipvs_connections.rows
    assert (int(rows["client_high"][2]), int(rows["client_low"][2])) == address_halves("fd00:10::13")
    assert rows["client_port"].tolist() == [11204, 0, 13420]


def test_a_connection_cut_short_is_not_understood() -> None:
    (dump,) = parse_dumps(LISTED + "TCP 01:53  TIME_WAIT   10.58.14.13:13420 10.96")
    assert dump.lines_not_understood == (6,)
    assert len(dump.ipvs_connections) == 3


def test_the_title_begins_another_listing() -> None:
    assert [len(dump.ipvs_connections) for dump in parse_dumps(LISTED + LISTED)] == [3, 3]
    assert [len(dump.ipvs_connections) for dump in parse_dumps(PROC + PROC)] == [3, 3]


def test_totals_are_hexadecimal_counters_and_rates_are_gauges() -> None:
    (dump,) = parse_dumps(STATS)
    assert dump.kind == "ipvs-stats"
    assert dump.counters == (
        CounterRow(
            3,
            None,
            {"conns": 0x559, "inpkts": 0x1B4E, "outpkts": 0x1AC8, "inbytes": 0x75D72, "outbytes": 0x7B785},
        ),
    )
    assert dump.gauges[0].counters["cps"] == 12
    assert [len(d.counters) for d in parse_dumps(STATS + STATS)] == [1, 1]


def test_the_sum_over_the_cpus_is_not_counted_again() -> None:
    (dump,) = parse_dumps(PER_CPU)
    assert dump.lines_not_understood == ()
    assert [(row.cpu, row.counters["conns"]) for row in dump.counters] == [(0, 12), (1, 8)]
    assert dump.gauges[0].counters["inpps"] == 4


def test_timeouts() -> None:
    (dump,) = parse_dumps("Timeout (tcp tcpfin udp): 900 120 300\n")
    assert dump.ipvs_timeouts == IpvsTimeouts(1, 900, 120, 300)
