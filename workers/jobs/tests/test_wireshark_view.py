"""Wireshark's view: what tshark prints, read by pyshark, with the capture's frame numbers and no credentials."""

from __future__ import annotations

import shutil
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from backend.forensics.packets import ACK
from backend.forensics.wireshark import DissectedPacket, WiresharkAnswer, differences
from backend.limits import Limits
from backend.storage.looks import LookFile, LookFolder, LookOutcome, LookRequest, SelectedPart
from workers.decode.frames.pcapng_file import block
from workers.decode.tests.capture_bytes import pcap, tcp
from workers.decode.tests.conversation import CLIENT_ISN, OK, SERVER_ISN, Conversation, get
from workers.decode.tests.tls_conversation import TOKEN, encrypted
from workers.jobs import show_in_wireshark
from workers.jobs.clear_file import ClearFile
from workers.jobs.look_in_child import look_in_child
from workers.jobs.tests.test_look_secrets import SECRETS, talk
from workers.pipeline import ingest_file

pytestmark = pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")
View = Callable[..., WiresharkAnswer]


@pytest.fixture
def ask(tmp_path: Path) -> Callable[..., LookOutcome]:
    def asked(capture: bytes, frames: list[int], shown: list[int], key_log: bytes = b"") -> LookOutcome:
        path, tables = tmp_path / "a.capture", tmp_path / "tables"
        path.write_bytes(capture)
        part = ingest_file(path, name="a.pcap", folder=tables).part
        stored = [ClearFile("a.pcap", path, tables, part.holds_credentials)]
        listed = [LookFile("f", "a.pcap", "", part.holds_credentials)]
        if key_log:
            keys = tmp_path / "keys.txt"
            keys.write_bytes(key_log)
            stored.append(ClearFile("keys.txt", keys, tmp_path / "none", True))
            listed.append(LookFile("k", "keys.txt", "", True, kind="dump"))
        selected = SelectedPart("a.pcap", tuple(frames), tuple(shown))
        folder = LookFolder(tmp_path, "0" * 24)
        folder.path.mkdir(parents=True, exist_ok=True)
        request = LookRequest("wireshark", tuple(listed), parts=(selected,), packets=len(shown))
        return look_in_child(request, folder.path, tuple(stored), Limits(), lambda _: None)

    return asked


@pytest.fixture
def view(ask: Callable[..., LookOutcome], tmp_path: Path) -> View:
    def viewed(
        capture: bytes, frames: list[int], shown: list[int] | None = None, key_log: bytes = b""
    ) -> WiresharkAnswer:
        outcome = ask(capture, frames, shown or frames, key_log)
        assert outcome.state == "done", outcome
        data = LookFolder(tmp_path, "0" * 24).wireshark.read_bytes()
        answer: WiresharkAnswer = TypeAdapter(WiresharkAnswer).validate_json(data)
        return answer

    return viewed


def test_expert_notes_columns_and_messages_carry_the_frame_numbers_of_the_capture(view: View) -> None:
    other = Conversation(port=50000).packets
    spoken = Conversation().ask(get("/slow?user=a&page=2")).reply(OK)
    again = (spoken.packets[-1][0] + 300_000_000, spoken.packets[3][1])
    answer = view(pcap([*other, *spoken.packets, again]), [4, 5, 6, 7, 8, 9], [7, 9])
    assert answer.program.startswith("wireshark/")
    request, retransmission = answer.packets
    assert (request.frame, request.protocol, retransmission.frame) == (7, "HTTP", 9)
    assert request.info.startswith("GET /slow?")
    assert "user" not in request.info
    assert {field.label: field.value for field in request.messages[0].fields}["Host"] == "a.example"
    assert "spurious_retransmission" in retransmission.analysis
    assert [note.severity for note in retransmission.expert if "spurious" in note.text] == ["note"]


def test_a_flag_of_one_side_alone_is_a_difference() -> None:
    packet = DissectedPacket("a.pcap", 1, "TCP", "", analysis=("fast_retransmission",))
    found = {(each.flag, each.reported_by) for each in differences(0, packet.analysis)}
    assert found == {("retransmission", "wireshark"), ("fast retransmission", "wireshark")}
    assert differences(0, ()) == differences(0, ("reused_ports",)) == ()


def test_a_duplicate_ack_names_the_frame_of_the_capture(view: View) -> None:
    spoken = Conversation().ask(get("/")).reply(b"x" * 3000, [1000, 1000, 1000])
    expected = SERVER_ISN + 1 + 1000
    acks = [tcp(ACK, CLIENT_ISN + 1 + len(get("/")), expected, ip_id=20 + n, tsval=9) for n in range(3)]
    lost = [packet for _, packet in spoken.packets[:5]] + [acks[0], spoken.packets[6][1], *acks[1:]]
    other = Conversation(port=50000).packets
    times = [(n * 1_000_000, packet) for n, packet in enumerate(lost, 10)]
    answer = view(pcap([*other, *times]), list(range(4, 13)))
    assert ["Dup ACK 9#" in packet.info for packet in answer.packets[-2:]] == [True, True]


@pytest.mark.promise("Wireshark's view shows no credentials, nor what TLS carried of them.")
def test_it_holds_no_credentials(view: View, tmp_path: Path) -> None:
    frames = list(range(1, len(Conversation().packets) + 12))
    view(talk(), frames)
    printed = LookFolder(tmp_path, "0" * 24).wireshark.read_text()
    assert "security-credentials" in printed
    assert not [secret for secret in SECRETS if secret in printed]


def as_pcapng(packets: list[tuple[int, bytes]], key_log: bytes) -> bytes:
    """With the key log in a decryption secrets block."""
    padded = key_log + bytes(-len(key_log) % 4)
    blocks = [
        block(0x0A0D0D0A, struct.pack("<IHHQ", 0x1A2B3C4D, 1, 0, 0xFFFFFFFFFFFFFFFF)),
        block(10, struct.pack("<II", 0x544C534B, len(key_log)) + padded),
        block(1, struct.pack("<HHI", 101, 0, 0)),
    ]
    for time_ns, packet in packets:
        ticks = (1_700_000_000_000_000_000 + time_ns) // 1000
        head = struct.pack("<IIIII", 0, ticks >> 32, ticks & 0xFFFFFFFF, len(packet), len(packet))
        blocks.append(block(6, head + packet + bytes(-len(packet) % 4)))
    return b"".join(blocks)


@pytest.mark.parametrize("given", ["uploaded", "in the pcapng", "not at all"])
def test_a_key_log_decrypts_tls_and_the_view_leaves_its_secrets_out(
    view: View, tmp_path: Path, given: str
) -> None:
    packets, key_log = encrypted(tmp_path)
    capture = as_pcapng(packets, key_log) if given == "in the pcapng" else pcap(packets)
    uploaded = b"# a key log\n" + key_log if given == "uploaded" else b""
    answer = view(capture, list(range(1, len(packets) + 1)), key_log=uploaded)
    decrypted = [m for packet in answer.packets for m in packet.messages if m.decrypted]
    printed = LookFolder(tmp_path, "0" * 24).wireshark.read_text()
    assert TOKEN not in printed
    assert TOKEN[-12:] not in printed
    if given == "not at all":
        assert (decrypted, answer.tls_secrets) == ([], 0)
        return
    request, reply = decrypted
    values = {field.label: field.value for field in (*request.fields, *reply.fields)}
    assert (values["Request Method"], values["Status Code"], answer.tls_secrets) == ("GET", "200", 1)
    assert values["Request URI"].startswith("/pay?xxx")


def test_lines_that_are_no_secrets_are_not_given_to_tshark(view: View, tmp_path: Path) -> None:
    packets, _ = encrypted(tmp_path)
    answer = view(pcap(packets), list(range(1, len(packets) + 1)), key_log=b"CLIENT_RANDOM 00 11\nhello\n")
    assert answer.tls_secrets == 0


def test_without_tshark_it_says_so(ask: Callable[..., LookOutcome], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(show_in_wireshark, "find_tshark", lambda: None)
    outcome = ask(pcap(Conversation().packets), [1], [1])
    assert (outcome.state, outcome.problem) == ("failed", show_in_wireshark.NO_TSHARK)
