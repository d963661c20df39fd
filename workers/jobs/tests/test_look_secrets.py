"""No look gives a credential away: not the tree, not the bytes, not a carved capture, stored or split as it may be."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import pytest

from backend.limits import Limits
from backend.storage.looks import LookFile, LookFolder, LookOutcome, LookRequest
from workers.decode.frames import dissect
from workers.decode.tests.capture_bytes import pcap
from workers.decode.tests.conversation import Conversation, get, response
from workers.jobs.clear_file import ClearFile
from workers.jobs.look_in_child import look_in_child
from workers.pipeline import hash_file, ingest_file

KEY_ID, SECRET, SESSION = (
    "ASIAIOSFODNN7EXAMPLE",
    "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY",
    "FwoGZXIvYXdzEXAMPLESESSION",
)
V2_TOKEN, BEARER, SIGNED = "AQAEAExampleV2Token==", "Bearer-0123456789abcdef", "signature-0123456789"
SECRETS = (KEY_ID, SECRET, SESSION, V2_TOKEN, BEARER, SIGNED, "user:pass")
ROLE = "/latest/meta-data/iam/security-credentials/search-role"


def talk() -> bytes:
    """A token, keys split in the middle of one, an Authorization header, a signed address."""
    answer = {"Code": "Success", "AccessKeyId": KEY_ID, "SecretAccessKey": SECRET, "Token": SESSION}
    whole = response(json.dumps(answer | {"Expiration": "2026-11-21T01:11:41Z"}).encode())
    cut = whole.index(SECRET.encode()) + 9
    put = b"PUT /latest/api/token HTTP/1.1\r\nHost: 169.254.169.254\r\nX-aws-ec2-metadata-token-ttl-seconds: 60\r\n\r\n"
    spoken = Conversation().ask(put).reply(response(V2_TOKEN.encode()))
    spoken.ask(get(ROLE, f"X-aws-ec2-metadata-token: {V2_TOKEN}")).reply(whole, [cut, len(whole) - cut])
    spoken.ask(get(f"http://user:pass@h/v1?X-Amz-Signature={SIGNED}&page=2", f"Authorization: {BEARER}"))
    return pcap(spoken.reply(response(b'{"ok": true}')).packets)


Stored = Callable[[str], tuple[ClearFile, int]]


@pytest.fixture
def stored(tmp_path: Path) -> Stored:
    def keep(form: str) -> tuple[ClearFile, int]:
        path, tables = tmp_path / "a.capture", tmp_path / "tables"
        path.write_bytes(gzip.compress(talk()) if form == "gzip" else talk())
        part = ingest_file(path, name="a.pcap", folder=tables).part
        assert part.holds_credentials
        return ClearFile("a.pcap", path, tables, True), part.packets

    return keep


def look(folder: LookFolder, file: ClearFile, **asked: object) -> LookOutcome:
    known = LookFile("f", file.name, hash_file(file.stored), file.holds_credentials)
    request = LookRequest(files=(known,), **asked)  # type: ignore[arg-type]
    folder.path.mkdir(parents=True, exist_ok=True)
    return look_in_child(request, folder.path, (file,), Limits(), lambda _: None)


@pytest.mark.parametrize("form", ["plain", "gzip"])
@pytest.mark.parametrize(
    "by",
    [
        pytest.param("tshark", marks=pytest.mark.skipif(not shutil.which("tshark"), reason="no tshark")),
        "scapy",
    ],
)
def test_no_tree_and_no_byte_holds_one(
    stored: Stored, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str, by: str
) -> None:
    if by == "scapy":
        monkeypatch.setattr(dissect, "find_tshark", lambda: None)
    file, packets = stored(form)
    removed = 0
    # Of scapy some frames, for each is a start of its own.
    for frame in range(1, packets + 1) if by == "tshark" else range(4, packets + 1, 3):
        folder = LookFolder(tmp_path, f"{frame:024x}")
        outcome = look(
            folder, file, kind="dissection", frame=frame, before=tuple(range(1, frame)), whole=True
        )
        assert outcome.state == "done", outcome
        said = folder.dissection.read_text()
        found = json.loads(said)
        everything = said + bytes.fromhex(found["hex"]).decode("latin-1") + json.dumps(asdict(outcome))
        assert not [secret for secret in SECRETS if secret in everything]
        assert found["by"] == by
        removed += len(found["removed"])
    assert removed > 0


@pytest.mark.parametrize("form", ["plain", "gzip"])
def test_no_carved_capture_holds_one(stored: Stored, tmp_path: Path, form: str) -> None:
    file, packets = stored(form)
    folder = LookFolder(tmp_path, "0" * 24)
    folder.write_frames([(file.name, list(range(1, packets + 1)))])
    outcome = look(folder, file, kind="carving", packets=packets)
    assert (outcome.state, outcome.packets) == ("done", packets)
    carved = folder.carved.read_bytes()
    assert not [secret for secret in SECRETS if secret.encode() in carved or secret.encode()[-9:] in carved]
    again = ingest_file(folder.carved, name="carved.pcapng", folder=tmp_path / "again").part
    assert again.packets == packets
