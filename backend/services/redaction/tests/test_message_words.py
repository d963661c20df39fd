"""Where a link shows addresses and hides the words of messages, lines of logs and dumps do not tell these either."""

from __future__ import annotations

import pytest

from backend.forensics.private_words import Part
from backend.services.redaction.class_rules import shown_text
from backend.services.redaction.names import Hiding, Names
from backend.services.redaction.pseudonyms import PrivateText
from backend.text_classes import TextClass

MACHINE = PrivateText("node-1.acme.example", "machine")
REAL = Names([MACHINE], b"key", Hiding(addresses=False, payload=True))
ALL_SHOWN = Names([MACHINE], b"key", Hiding(addresses=False, payload=False))
LINES = {
    '10.77.3.9 - ann [25/Nov/2026:10:00:00 +0000] "POST /zqa?zqb=zqc HTTP/1.1" 504 0 "https://zqd.test/" "zqe/1"': (
        '10.77.3.9 - ann [25/Nov/2026:10:00:00 +0000] "POST ••• HTTP/1.1" 504 0 "•••" "•••"'
    ),
    'request: "GET /zqa HTTP/1.1", upstream: "10.77.4.20:8080"': (
        'request: "GET ••• HTTP/1.1", upstream: "10.77.4.20:8080"'
    ),
    'Get "https://zqa.test/zqb?zqc=zqd": context deadline exceeded': (
        'Get "https://•••/•••": context deadline exceeded'
    ),
    "Readiness probe failed: http://10.77.3.9:8080/zqa": "Readiness probe failed: http://10.77.3.9:8080/•••",
    "dial tcp: lookup zqa.zqns.svc.cluster.local on 10.77.0.53:53: i/o timeout": (
        "dial tcp: lookup ••• on 10.77.0.53:53: i/o timeout"
    ),
    '[INFO] 10.77.3.9:43211 - 4411 "A IN zqa. udp 45 false 512" NXDOMAIN': (
        '[INFO] 10.77.3.9:43211 - 4411 "A IN ••• udp 45 false 512" NXDOMAIN'
    ),
    "> Host: zqa": "> Host: •••",
    r'[pid 7] 10:00:01.0 sendto(7, "GET /zqa HTTP/1.1\r\nHost: zqb\r\n", 55, 0, NULL, 0) = 55': (
        '[pid 7] 10:00:01.0 sendto(7, "•••", 55, 0, NULL, 0) = 55'
    ),
    '<... recvfrom resumed>"zqa", 5, 0, NULL, NULL) = 3': '<... recvfrom resumed>"•••", 5, 0, NULL, NULL) = 3',
    'path=/zqa/zqb user "ann"': 'path=/••• user "ann"',
}
KEPT = (
    "net.ipv4.vs.conn_reuse_mode = 1",
    "net.ipv4.conf.eth0.100.rp_filter = 1",
    "/proc/sys/net/netfilter/nf_conntrack_max:100",
    "10.77.0.0/16 dev flannel.1 via 10.77.0.1",
    "node-1.acme.example",
    '-A KUBE-SVC -m comment --comment "default/web:http" -j DNAT --to-destination 10.77.4.20:8080',
    'connect(7, {sin_port=htons(80), sin_addr=inet_addr("10.77.4.20")}, 16) = -1 ECONNREFUSED <0.000100>',
    "tcp 6 117 SYN_SENT src=10.77.3.9 dst=10.77.4.20 sport=41000 dport=80 [UNREPLIED]",
)


@pytest.mark.promise("A link that hides words of messages hides them in lines of logs and dumps, too.")
@pytest.mark.parametrize("line", LINES)
def test_words_of_messages_in_a_line_are_hidden_where_addresses_are_shown(line: str) -> None:
    shown = shown_text(TextClass.DUMP)
    assert shown(line, REAL) == LINES[line]
    assert "zq" not in shown(line, REAL)
    assert shown(line, ALL_SHOWN) == line


@pytest.mark.parametrize("line", KEPT)
def test_what_is_no_word_of_a_message_stays(line: str) -> None:
    assert shown_text(TextClass.DUMP)(line, REAL) == line


def test_a_line_that_a_sentence_quotes_is_no_exception() -> None:
    line = 'Get "https://zqa.test/zqb?zqc=zqd": timeout'
    text = f"A client failed: “{line}”."
    parts = {text: (Part("A client failed: “"), Part(line, "line"), Part("”."))}
    quoting = Names([], b"key", REAL.hiding, parts)
    assert quoting.text(text) == 'A client failed: “Get "https://•••/•••": timeout”.'
