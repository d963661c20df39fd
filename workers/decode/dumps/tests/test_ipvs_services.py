from backend.forensics.dumps import Dump, IpvsTraffic, RealServer
from workers.decode.dumps import parse_dumps

PLAIN = """\
IP Virtual Server version 1.2.1 (size=4096)
Prot LocalAddress:Port Scheduler Flags
  -> RemoteAddress:Port           Forward Weight ActiveConn InActConn
TCP  10.96.0.100:80 rr
  -> 10.244.1.11:8080             Masq    1      0          355
TCP  10.96.0.100:8443 wrr persistent 360 mask 255.255.255.0
TCP  10.96.0.100:9000 sh (sh-fallback,sh-port)
  -> 10.244.1.11:9000             Route   65535  0          0
UDP  10.96.0.100:5353 rr ops
TCP  [fd00:96::100]:80 rr
  -> [fd00:244::11]:8080          Tunnel  0      2          3
FWM  7 wrr
"""
STATS = """\
IP Virtual Server version 1.2.1 (size=4096)
Prot LocalAddress:Port               Conns   InPkts  OutPkts  InBytes OutBytes
  -> RemoteAddress:Port
TCP  10.96.0.100:80                   1369     6990     6856     482M   505733
  -> 10.244.1.11:8080                  456     2328     2287   160788   168628
"""
THRESHOLDS = """\
Prot LocalAddress:Port            Uthreshold Lthreshold ActiveConn InActConn
  -> RemoteAddress:Port
TCP  10.96.0.100:80 rr
  -> 10.244.1.11:8080             10         5          1          2
"""
PERSISTENT = """\
Prot LocalAddress:Port            Weight    PersistConn ActiveConn InActConn
  -> RemoteAddress:Port
TCP  10.96.0.100:80 rr
  -> 10.244.1.11:8080             3         4           1          2
"""
PROC = """\
IP Virtual Server version 1.2.1 (size=4096)
Prot LocalAddress:Port Scheduler Flags
  -> RemoteAddress:Port Forward Weight ActiveConn InActConn
TCP  0A600064:0050 rr
  -> 0AF4010D:1F90      Masq    1      0          2
TCP  [fd00:0096:0000:0000:0000:0000:0000:0100]:0050 rr
  -> [fd00:0244:0000:0000:0000:0000:0000:0013]:1F90      Masq    1      0          1
"""
SAVED = """\
-A -t 10.96.0.100:443 -s wrr -p 10800
-a -t 10.96.0.100:443 -r 10.244.1.11:8080 -m -w 3
-a -t 10.96.0.100:443 -r 10.244.1.12:8080 -i -w 0 --tun-type ipip
-A -f 7 -s wrr
-a -t 10.96.0.100:444 -r 10.244.1.12:8080 -i -w 0
"""


def the_dump(text: str) -> Dump:
    (dump,) = parse_dumps(text)
    assert dump.kind == "ipvs-services"
    return dump


def test_services_and_their_real_servers_carry_their_lines() -> None:
    dump = the_dump(PLAIN)
    assert dump.lines_not_understood == ()
    web, persistent, hashed, once, six, mark = dump.services
    assert (web.line, web.protocol, web.address, web.port, web.scheduler) == (
        4,
        "TCP",
        "10.96.0.100",
        80,
        "rr",
    )
    assert web.real_servers == (RealServer(5, "10.244.1.11", 8080, "Masq", 1, 0, 355),)
    assert (persistent.persistent_s, persistent.real_servers) == (360, ())
    assert hashed.flags == ("sh-fallback", "sh-port")
    assert (hashed.real_servers[0].forward, hashed.real_servers[0].weight) == ("Route", 65_535)
    assert once.flags == ("ops",)
    assert (six.address, six.real_servers[0].address, six.real_servers[0].active) == (
        "fd00:96::100",
        "fd00:244::11",
        2,
    )
    assert (mark.protocol, mark.firewall_mark, mark.scheduler) == ("FWM", 7, "wrr")


def test_totals_and_rates_are_told_apart_by_their_header() -> None:
    (service,) = the_dump(STATS).services
    assert service.traffic == IpvsTraffic(1369, 6990, 6856, 482_000_000, 505_733, False, rounded=True)
    assert service.real_servers[0].traffic == IpvsTraffic(456, 2328, 2287, 160_788, 168_628, False)
    header = "Prot LocalAddress:Port                 CPS    InPPS   OutPPS    InBPS   OutBPS"
    (rates,) = the_dump(STATS.replace(STATS.split("\n")[1], header)).services
    assert rates.traffic is not None
    assert rates.traffic.per_second


def test_the_columns_of_thresholds_and_persistence_are_not_mixed_up() -> None:
    upper = the_dump(THRESHOLDS).services[0].real_servers[0]
    assert (upper.upper_threshold, upper.lower_threshold, upper.active, upper.inactive) == (10, 5, 1, 2)
    assert upper.weight is None
    kept = the_dump(PERSISTENT).services[0].real_servers[0]
    assert (kept.weight, kept.persistent, kept.active, kept.inactive) == (3, 4, 1, 2)


def test_the_kernels_own_listing_is_hexadecimal() -> None:
    four, six = the_dump(PROC).services
    assert (four.address, four.port) == ("10.96.0.100", 80)
    assert (four.real_servers[0].address, four.real_servers[0].port) == ("10.244.1.13", 8080)
    assert (six.address, six.port, six.real_servers[0].port) == ("fd00:96::100", 80, 8080)


def test_the_saved_form_gives_the_same_services() -> None:
    dump = the_dump(SAVED)
    web, mark = dump.services
    assert (web.scheduler, web.persistent_s, web.flags) == ("wrr", 10_800, ("persistent",))
    assert [(r.line, r.address, r.forward, r.weight) for r in web.real_servers] == [
        (2, "10.244.1.11", "Masq", 3),
        (3, "10.244.1.12", "Tunnel", 0),
    ]
    assert mark.firewall_mark == 7
    assert dump.lines_not_understood == (5,)


def test_numbers_without_their_header_and_broken_addresses_are_not_understood() -> None:
    bare = "  -> 10.244.1.11:8080             3         4           1          2\n"
    dump = the_dump(PLAIN + "  -> 10.244.1.300:8080            Masq    1      0          355\n" + bare)
    assert dump.lines_not_understood == (13, 14)


def test_a_second_listing_is_a_second_dump() -> None:
    assert [len(dump.services) for dump in parse_dumps(PLAIN + STATS)] == [6, 1]
