"""Messages of real captures, against what the servers logged and against tshark."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from backend.forensics.connections import NEVER
from backend.forensics.messages import REQUEST_COMPLETE, RESPONSE_COMPLETE
from workers.decode.captures import decode_capture
from workers.decode.tests.conversation import rows

METADATA = ["imds-burst", "imds-burst-current", "imds-burst-ecs", "imds-burst-poller", "imds-burst-six-hours",
            "imds-burst-v2", "imds-burst-warm-s2"]  # fmt: skip
DNS = ["dns-5s", "dns-5s-healthy", "dns-5s-mute", "dns-5s-reopen", "dns-5s-search-s2", "dns-5s-slow"]
HTTP = ["arkime+arkime__http-syn-ack.pcap", "corelight+pycommunityid__tcp_multi.pcap", "zeek+zeek__206_example_a.pcap",
        "zeek+zeek__get_nosyn.pcap", "zeek+zeek__nflog-http.pcap", "zeek+zeek__socks.pcap",
        "seladb+PcapPlusPlus__SllPacket.pcap"]  # fmt: skip


def _messages(path: Path, table: str) -> list[dict[str, Any]]:
    return rows(decode_capture(path, name=path.name, sha256="", packets_path=None), table)


def _fields(tshark: str, path: Path, wanted: str, *fields: str) -> list[list[str]]:
    command = [
        tshark,
        "-n",
        "-r",
        str(path),
        "-Y",
        wanted,
        "-T",
        "fields",
        *(x for f in fields for x in ("-e", f)),
    ]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    return [line.split("\t") for line in answer.stdout.splitlines()]


@pytest.mark.parametrize("name", METADATA)
def test_metadata_calls_are_those_that_the_service_logged(extra_captures: Path, name: str) -> None:
    folder = extra_captures / "lab" / name
    truth = json.loads((folder / "truth.json").read_text())
    found = _messages(folder / "app-eth0.pcap", "http")
    logged = [call for call in truth["metadata_calls"] if call["status"]]
    calls = [row for row in found if row["host"] == truth["metadata_address"]]
    # Calls of before the capture are in the log, too.
    begin_s = min(row["request_first_ns"] for row in found) / 1e9
    expected = sorted((c["method"], c["path"], c["status"]) for c in logged if c["t"] >= begin_s - 0.05)
    assert sorted((row["method"], row["path"], row["status"]) for row in calls) == expected
    whole = REQUEST_COMPLETE | RESPONSE_COMPLETE
    assert all(row["marks"] & whole == whole for row in calls)
    credentials = [row for row in calls if row["expiration_ns"] != NEVER]
    assert len(credentials) == sum(
        1 for c in logged if c["kind"] == "credentials" and c["t"] >= begin_s - 0.05
    )
    for row in credentials:
        left_s = row["expiration_ns"] / 1e9 - row["response_first_ns"] / 1e9
        assert abs(left_s - truth["credential_ttl_s"]) < 20


@pytest.mark.parametrize("name", DNS)
def test_dns_messages_equal_tsharks(extra_captures: Path, tshark: str, name: str) -> None:
    for path in sorted((extra_captures / "lab" / name).glob("*.pcap")):
        names = ("frame.number", "dns.id", "dns.flags", "dns.qry.name", "dns.qry.type", "dns.count.answers")
        theirs = [
            (int(f), int(i, 16), int(fl, 16), n.lower(), int(t), int(a))
            for f, i, fl, n, t, a in _fields(tshark, path, "dns", *names)
        ]
        ours = [
            tuple(row[n] for n in ("frame", "id", "header", "name", "type", "answers"))
            for row in _messages(path, "dns")
        ]
        assert ours == theirs


@pytest.mark.parametrize("name", HTTP)
def test_http_messages_equal_tsharks(extra_captures: Path, tshark: str, name: str) -> None:
    path = extra_captures / "public" / name
    theirs = {
        (request or response): int(frame)
        for frame, request, response in _fields(
            tshark,
            path,
            "http.request or http.response",
            "frame.number",
            "http.request.line",
            "http.response.line",
        )
    }
    ours = _messages(path, "http")
    ends = [row[n] for row in ours for n in ("request_last_frame", "response_last_frame") if row[n] != NEVER]
    heads = [
        row[n] for row in ours for n in ("request_first_frame", "response_first_frame") if row[n] != NEVER
    ]
    # tshark shows a message in the frame that completes it, or, without reassembly, that begins it.
    frames = sorted(theirs.values())
    assert len(heads) == len(frames)
    assert all(frame in ends or frame in heads for frame in frames)
    paths = [
        target for _, target in _fields(tshark, path, "http.request", "frame.number", "http.request.uri")
    ]
    assert sorted(row["path"].split("?")[0] for row in ours if row["path"]) == sorted(
        p.split("?")[0] for p in paths
    )
