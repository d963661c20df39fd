"""Which lines name an error of the network; the quick test before the pattern passes none by."""

from __future__ import annotations

import pytest

from workers.decode.dumps.error_words import names_an_error


@pytest.mark.parametrize(
    "text",
    [
        "connect: Cannot assign requested address",
        "bind: Address already in use",
        "RTNETLINK answers: No buffer space available",
        "socket: Too many open files",
        "Connection refused", "104: Connection reset by peer", "No route to host", "Network is unreachable",
        "write: broken pipe", "read udp: i/o timeout", "context deadline exceeded", "TLS handshake timeout",
        "no such host", "server misbehaving", "Name or service not known",
        "Temporary failure in name resolution", "Operation timed out", "read timed out", "socket hang up",
        "ECONNRESET", "ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH", "EPIPE", "EADDRNOTAVAIL", "EADDRINUSE", "ENOTFOUND",
        "EAI_AGAIN", "ENOBUFS", "upstream connect error", "unexpected EOF", "GOAWAY", "go_away", "unreachable backend",
        "message too long", "java.net.NoRouteToHostException", "NoHttpResponseException", "SSLHandshakeError",
        "UnknownHostError", "ClosedChannelError", "SocketError", "upstream prematurely closed",
        "server closed the connection", "transport is closing", "use of closed network connection",
        "connection termination", "no healthy upstream", "no live upstreams", "Remote end closed",
    ],
)  # fmt: skip
def test_each_is_one(text: str) -> None:
    assert names_an_error(f"app: {text}: retrying")


def test_others_are_none() -> None:
    assert not names_an_error("backend web has no server available")
    assert not names_an_error("connected to 10.0.0.1 in real time")
