"""What clients report of their requests: dig, curl, wrk, vegeta."""

import pytest

from backend.forensics.dumps import Dump, LoadFigure, Probe, ProbeSeries
from backend.forensics.dumps.probes import PROBE_REFUSED
from workers.decode.dumps import parse_dumps

DIG = """\
; <<>> DiG 9.18.24 <<>> @10.96.0.10 db.example AAAA +tries=1
; (1 server found)
;; global options: +cmd
;; Got answer:
;; ->>HEADER<<- opcode: QUERY, status: NOERROR, id: 4711
;; flags: qr rd ra; QUERY: 1, ANSWER: 1, AUTHORITY: 0, ADDITIONAL: 1

;; QUESTION SECTION:
;db.example.\t\t\tIN\tAAAA

;; ANSWER SECTION:
db.example.\t\t30\tIN\tAAAA\tfd00::7

;; Query time: 5003 msec
;; SERVER: 10.96.0.10#53(10.96.0.10) (UDP)
;; WHEN: Sat Nov 21 00:58:22 UTC 2026
;; MSG SIZE  rcvd: 56
"""
SILENT = """\
; <<>> DiG 9.18.24 <<>> @10.96.0.10 db.example
;; communications error to 10.96.0.10#53: timed out
;; communications error to 10.96.0.10#53: timed out
;; no servers could be reached
"""


def read(text: str) -> Dump:
    (dump,) = parse_dumps(text)
    assert dump.lines_not_understood == ()
    return dump


def test_a_whole_answer_of_dig() -> None:
    dump = read(DIG)
    assert dump.kind == "dig"
    assert dump.probe_series == (ProbeSeries(1, "dig", "dns", "db.example AAAA", "10.96.0.10", 53),)
    answered_ns = 1_795_222_702 * 10**9
    assert list(dump.probes) == [Probe(14, 0, 0, answered_ns - 5_003_000_000, 5_003.0)]


def test_a_lookup_that_nobody_answered_counts_once() -> None:
    dump = read(DIG + SILENT + DIG.replace("NOERROR", "SERVFAIL"))
    assert [(probe.rtt_ms, probe.marks) for probe in dump.probes] == [
        (5_003.0, 0),
        (None, 0),
        (5_003.0, PROBE_REFUSED),
    ]


def test_a_loop_of_which_only_the_times_were_kept() -> None:
    dump = read(";; Query time: 1 msec\n;; Query time: 5004 msec\n;; Query time: 900 usec\n")
    assert [probe.rtt_ms for probe in dump.probes] == [1.0, 5_004.0, 0.9]
    assert [probe.sequence for probe in dump.probes] == [0, 1, 2]


def test_another_server_is_another_series() -> None:
    other = DIG.replace("SERVER: 10.96.0.10#53(10.96.0.10)", "SERVER: fd00::53#53(fd00::53)")
    dump = read(DIG + other)
    assert [series.address for series in dump.probe_series] == ["10.96.0.10", "fd00::53"]
    assert [probe.series for probe in dump.probes] == [0, 1]


CURL = """\
    time_namelookup:  0.001204s
       time_connect:  0.003012s
    time_appconnect:  0.000000s
      time_redirect:  0.000000s
 time_starttransfer:  0.005000s
                    ----------
         time_total:  0.005411s
"""
JSON = (
    '{"content_type":"text/html","http_code":200,"remote_ip":"10.0.0.7","time_connect":1.003,'
    '"time_namelookup":0.000000,"time_total":1.005,"url_effective":"https://me:secret@db.example/a?token=secret"}\n'
)


def test_the_steps_of_a_request_of_curl() -> None:
    dump = read(CURL + CURL)
    assert [series.kind for series in dump.probe_series] == ["dns", "tcp", "http"]
    first = [(probe.series, probe.rtt_ms) for probe in dump.probes if probe.sequence == 0]
    assert first == [(0, 1.204), (1, 1.808), (2, 5.411)]
    assert len(dump.probes) == 6


def test_the_object_of_curl_without_its_secrets() -> None:
    dump = read(JSON * 2)
    assert dump.probe_series[0] == ProbeSeries(1, "curl", "tcp", "https://db.example/a", "10.0.0.7")
    assert [probe.rtt_ms for probe in dump.probes] == [1_003.0, 1_005.0] * 2
    assert "secret" not in repr(dump)


@pytest.mark.parametrize("text", [JSON.replace("}", ""), '{"http_code":' * 3_000 + "\n", '{"http_code":1}\n'])
def test_a_damaged_object_is_not_understood(text: str) -> None:
    (dump,) = parse_dumps(text)
    assert (len(dump.probes), dump.lines_not_understood) == (0, (1,))


WRK = """\
Running 30s test @ http://10.96.0.100/
  2 threads and 8 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency   635.91us    0.89ms   1.03s    93.69%
    Req/Sec    56.20k     8.07k   62.00k    86.54%
  Latency Distribution
     50%  250.00us
     99.9%    5.00ms
  1200 requests in 30.00s, 17.76MB read
  Socket errors: connect 1, read 0, write 0, timeout 4
  Non-2xx or 3xx responses: 12
Requests/sec:     40.00
Transfer/sec:    606.33KB
"""
VEGETA = """\
Requests      [total, rate, throughput]         1200, 120.00, 65.87
Duration      [total, attack, wait]             1m10.5s, 9.949883921s, 145.082066ms
Latencies     [min, mean, 50, 95, 99, max]      904.5µs, 113.172398ms, 108.2ms, 140.18235ms, 247.7ms, 1.264s
Bytes In      [total, mean]                     3714690, 3095.57
Bytes Out     [total, mean]                     0, 0.00
Success       [ratio]                           55.42%
Status Codes  [code:count]                      0:535  200:665
Error Set:
Get "http://10.96.0.100/": dial tcp 10.96.0.100:80: connect: connection refused
"""


def figures(dump: Dump) -> dict[str, float]:
    assert dump.load is not None
    return {figure.name: figure.value for figure in dump.load.figures}


def test_a_report_of_wrk() -> None:
    dump = read(WRK)
    assert (dump.kind, dump.load and (dump.load.tool, dump.load.target)) == (
        "load-report",
        ("wrk", "http://10.96.0.100/"),
    )
    found = figures(dump)
    assert found["total.mean_ms"] == pytest.approx(0.63591)
    assert (found["total.max_ms"], found["total.p99.9_ms"]) == (1_030.0, 5.0)
    assert (found["requests"], found["failed.timeout"], found["non_2xx"]) == (1200.0, 4.0, 12.0)
    assert dump.load is not None
    assert dump.load.figure("concurrency") == LoadFigure(2, "concurrency", 8.0)


def test_a_report_of_wrk_that_was_broken_off_says_so() -> None:
    assert "broken off" in read(WRK[: WRK.index("  1200")]).warnings[0]


def test_a_report_of_vegeta() -> None:
    found = figures(read(VEGETA))
    assert (found["requests"], found["duration_s"], found["success_percent"]) == (1200.0, 70.5, 55.42)
    assert found["total.min_ms"] == pytest.approx(0.9045)
    assert found["total.p95_ms"] == pytest.approx(140.18235)
    assert found["total.max_ms"] == pytest.approx(1_264.0)
    assert found["status.200"] == 665


def test_two_reports_of_each_are_two_dumps() -> None:
    dumps = parse_dumps((WRK + WRK + VEGETA + VEGETA).replace("\n", "\r\n"))
    assert [dump.load.tool for dump in dumps if dump.load] == ["wrk", "wrk", "vegeta", "vegeta"]
