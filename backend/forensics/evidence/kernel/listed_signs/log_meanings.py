"""What a proxy's or a resolver's log line means on the wire, by the program's own words."""

from __future__ import annotations

import re
from typing import Final

_MEANINGS: Final = tuple(
    (re.compile(words, re.IGNORECASE), meaning)
    for words, meaning in (
        (
            r"(?:dial|connect) unix |unix:/{1,3}\S{1,200}",
            "a socket of this host itself: the program that listens on it does not run, or is not ready",
        ),
        (
            r"upstream prematurely closed connection while reading response header|"
            r"reset reason:? connection termination|upstream_reset_before_response_started\{connection_termination",
            "the upstream closed the connection before it responded: it stopped, or its keep-alive timeout is shorter "
            "than the proxy's",
        ),
        (
            r"111: connection refused|connect: connection refused|delayed connect error: 111",
            "the SYN was answered by a RST, or a rule rejected it",
        ),
        (
            r"113: (?:no route to host|host is unreachable)|connect: no route to host",
            "no ARP reply, or an ICMP error (host unreachable or prohibited): the host is gone, or a firewall rejects",
        ),
        (
            r"110: (?:connection|operation) timed out\) while connecting|reset reason:? connection timeout|"
            r"connect: connection timed out|dial tcp .{1,120}i/o timeout",
            "no reply to the SYN within the client's time-out",
        ),
        (
            r"110: (?:connection|operation) timed out\) while reading response header|upstream request timeout",
            "the connection was there and the upstream did not respond in time",
        ),
        (r"104: connection reset by peer|read: connection reset by peer", "the peer sent a RST"),
        (
            r"SSL connection timeout|net/http: TLS handshake timeout|SSL_connect.{0,40}timed? ?out",
            "TCP connected and the TLS handshake did not end: often packets larger than the path MTU are lost, or the "
            "peer is stuck (ping -M do -s 1472 ADDRESS shows which)",
        ),
        (
            r"no servers could be reached|;; communications error to .{1,80}timed out",
            "the name server did not reply",
        ),
        (
            r"BGP peer .{1,80} is not established",
            "no routes are learned from that node, so its pods are not reached: is calico-node up there, is TCP port "
            "179 open, is the address the node's",
        ),
        (
            r"xtables lock",
            "another program changed rules meanwhile: changes of services are written late",
        ),
        (
            r"cannot assign requested address|EADDRNOTAVAIL",
            "no local port is left towards that address (net.ipv4.ip_local_port_range, sockets in TIME-WAIT), or the "
            "source address is not of this host",
        ),
        (
            r"lookup \S{1,255} on \S{1,80}: (?:read|write|dial) udp .{1,120}i/o timeout|EAI_AGAIN|"
            r"temporary failure in name resolution|lookup .{1,255}: i/o timeout",
            "the name server did not reply in time",
        ),
        (
            r"lookup \S{1,255} on \S{1,80}: no such host|name or service not known|ENOTFOUND|UnknownHostException",
            "the name server replied that the name does not exist (NXDOMAIN), or no search domain makes it one",
        ),
        (r"server misbehaving", "the name server replied SERVFAIL or REFUSED"),
        (
            r"TLS handshake timeout|SSL_connect.{0,40}timed out",
            "the TCP connection was there and the TLS handshake did not end in time: large packets lost (MTU), or a "
            "server that is too slow",
        ),
        (
            r"no buffer space available|ENOBUFS",
            "the kernel refused to queue the packet: a full queue, or a full neighbor table",
        ),
        (r"too many open files|EMFILE", "the process has no file descriptor left for a further socket"),
        (r"address already in use|EADDRINUSE", "the local port is taken by another socket, or is still in TIME-WAIT"),
        (
            r"message too long|EMSGSIZE",
            "the packet is larger than the MTU that the host knows of, and must not be fragmented",
        ),
        (
            r"NoHttpResponseException|RemoteDisconnected|remote end closed connection without response|"
            r"server closed the connection unexpectedly|socket hang up|closed before (?:message completed|full header)|"
            r"http: server closed idle connection|unexpected EOF",
            "the peer closed the connection before it responded: it stopped, or its keep-alive timeout passed as the "
            "request was sent",
        ),
        (
            r"connect timed out|ConnectTimeoutException|connect ETIMEDOUT|connection timed out|ETIMEDOUT",
            "no reply to the SYN, or to data, until the kernel or the client gave up",
        ),
        (
            r"read timed out|SocketTimeoutException|ESOCKETTIMEDOUT",
            "the connection was there and no response came in time",
        ),
        (r"no route to host|EHOSTUNREACH", "no ARP reply, or an ICMP error (host unreachable or prohibited)"),
        (r"network (?:is )?unreachable|ENETUNREACH", "no route to that address, or an ICMP error reported it"),
        (
            r"broken pipe|EPIPE",
            "the program wrote to a connection that its peer had closed or reset before",
        ),
        (r"connection refused|ECONNREFUSED", "the SYN was answered by a RST, or a rule rejected it"),
        (r"connection reset|ECONNRESET|reset by peer|ConnectionResetError", "a RST came for the connection"),
        (r"context deadline exceeded|DEADLINE_EXCEEDED", "the client's own time limit passed before the response"),
        (
            r"^Endpoints.{0,200}: (?:<none>)?$",
            "no pod of the service's selector is ready, so kube-proxy rejects or drops what is sent to it",
        ),
        (r"probe failed.{0,300}(?:connection refused)", "nothing listens on the probed port in the pod"),
        (r"failed to assign an IP address to container", "the CNI plugin has no address left on this node"),
        (r"no live upstreams|no healthy upstream", "the proxy had marked every upstream as failed before"),
        (
            r"HINFO: (?:unreachable backend: )?read udp .{1,80}i/o timeout",
            "CoreDNS asks its upstream once for a random name, to find loops (plugin loop): the upstream did not reply",
        ),
        (r"plugin/errors.{1,300}: read udp .{1,80}i/o timeout", "the upstream resolver did not reply within 2 s"),
        (r"plugin/errors.{1,300}: read udp .{1,80}connection refused", "nothing listens on the upstream's port 53"),
        (r"plugin/loop: Loop", "queries come back to CoreDNS: /etc/resolv.conf of the node names itself"),
        (
            r"probe failed.{0,300}(?:context deadline exceeded|i/o timeout)",
            "the kubelet got no reply in time",
        ),
    )
)  # fmt: skip
"""As of nginx (ngx_http_upstream.c), Envoy (StreamResetReason), Go (net), CoreDNS (plugins forward, errors, loop) and
the kubelet (prober)."""


def log_meaning(text: str) -> str:
    """A clause for the first words that are known, else ""."""
    return next((meaning for words, meaning in _MEANINGS if words.search(text)), "")


ENVOY_FLAGS: Final = {
    "UH": "no healthy upstream host",
    "UF": "the connection to the upstream failed",
    "UO": "circuit breaker: too many connections or requests",
    "NR": "no route for the request",
    "URX": "all retries or connection attempts were used",
    "NC": "no such cluster",
    "DT": "the request or connection took longer than allowed",
    "DC": "the client closed the connection",
    "UT": "the upstream did not respond in time",
    "UR": "the upstream reset the stream",
    "UC": "the upstream closed the connection before it responded",
    "LR": "the proxy itself reset the stream",
    "SI": "the stream was idle too long",
    "UPE": "the upstream's response was no HTTP",
    "DPE": "the client's request was no HTTP",
    "OM": "the proxy ran out of memory",
    "DF": "the name of the upstream was not resolved",
}
"""Envoy's response flags (access log, %RESPONSE_FLAGS%), those that end a request."""
