from backend.forensics.dumps import KernelMessage, LoadFigure
from workers.decode.dumps import parse_dumps

REPORT = """\
This is ApacheBench, Version 2.3 <$Revision$>
Copyright 1996 Adam Twiss, Zeus Technology Ltd, http://www.zeustech.net/
Licensed to The Apache Software Foundation, http://www.apache.org/

Benchmarking 10.96.0.100 (be patient)
Finished 1367 requests


Server Software:        pod
Server Hostname:        10.96.0.100
Server Port:            80

Document Path:          /
Document Length:        5 bytes

Concurrency Level:      8
Time taken for tests:   45.267 seconds
Complete requests:      1367
Failed requests:        3
   (Connect: 0, Receive: 0, Length: 2, Exceptions: 1)
Requests per second:    30.20 [#/sec] (mean)
Time per request:       264.910 [ms] (mean)
Time per request:       33.114 [ms] (mean, across all concurrent requests)
Transfer rate:          2.98 [Kbytes/sec] received

Connection Times (ms)
              min  mean[+/-sd] median   max
Connect:        1  237 414.6     16    1107
Total:          2  264 419.6     35    1295

Percentage of the requests served within a certain time (ms)
  50%     35
  99%   1099
 100%   1295 (longest request)
"""


def test_every_number_of_the_report_has_its_line() -> None:
    (dump,) = parse_dumps(REPORT)
    assert (dump.kind, dump.lines_not_understood, dump.warnings) == ("load-report", (), ())
    assert dump.load is not None
    assert (dump.load.tool, dump.load.target) == ("ab", "10.96.0.100:80/")
    assert dump.load.figure("requests") == LoadFigure(18, "requests", 1367)
    assert dump.load.figure("failed.exceptions") == LoadFigure(20, "failed.exceptions", 1)
    assert dump.load.figure("connect.max_ms") == LoadFigure(28, "connect.max_ms", 1107)
    assert dump.load.figure("total.p99_ms") == LoadFigure(33, "total.p99_ms", 1099)
    assert dump.load.figure("time_per_request_across_ms") == LoadFigure(
        23, "time_per_request_across_ms", 33.114
    )
    assert dump.load.figure("non_2xx") is None


def test_a_report_cut_short_says_so() -> None:
    (dump,) = parse_dumps(REPORT[: REPORT.index("Percentage")])
    assert "cut short" in dump.warnings[0]


def test_two_reports_are_two_dumps() -> None:
    assert len(parse_dumps(REPORT + REPORT)) == 2


FULL = "nf_conntrack: nf_conntrack: table full, dropping packet"


def test_kernel_messages_with_every_kind_of_time() -> None:
    text = f"""\
[   84.291095] {FULL}
kern  :warn  : [   84.291095] {FULL}
[Sat Nov 21 00:44:09 2026] {FULL}
2026-11-21T00:44:09,553000+00:00 {FULL}
Nov 21 00:44:09 node-7 kernel: [   84.291095] {FULL}
2026-11-21T00:44:09+0000 node-7 kernel: {FULL}
[   84.2910
"""
    (dump,) = parse_dumps(text)
    second_ns = 1_795_221_849 * 10**9
    assert dump.messages == (
        KernelMessage(1, 84.291095, None, FULL),
        KernelMessage(2, 84.291095, None, FULL),
        KernelMessage(3, None, second_ns, FULL),
        KernelMessage(4, None, second_ns + 553_000_000, FULL),
        KernelMessage(5, 84.291095, None, FULL),
        KernelMessage(6, None, second_ns, FULL),
    )
    assert (dump.kind, dump.host, dump.lines_not_understood) == ("kernel-log", "node-7", (7,))


def test_conntrack_events_with_their_time_are_no_messages() -> None:
    event = (
        "[1795222237.819812]\t    [NEW] tcp      6 120 SYN_SENT src=10.0.0.1 dst=10.0.0.2 sport=1 dport=2 "
    )
    (dump,) = parse_dumps(event + "[UNREPLIED] src=10.0.0.2 dst=10.0.0.1 sport=2 dport=1\n")
    assert dump.kind == "conntrack-events"
