"""Secrets end at the decoder: they are in no table, whatever segment or chunk they lie in."""

import gc
import json
import re
from pathlib import Path

import pytest

from workers.decode.tests.conversation import Conversation, get, response, rows
from workers.pipeline import analyse, ingest_file

KEY_ID, SECRET, TOKEN = (
    "ASIAIOSFODNN7EXAMPLE",
    "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY",
    "FwoGZXIvYXdzEXAMPLETOKEN",
)
SECRETS = (KEY_ID, SECRET, TOKEN, "cookie-value", "session-value", "user:pass", "sig-value", "bare0key")
PATH = "/latest/meta-data/iam/security-credentials/role"


def _document() -> bytes:
    answer = {"Code": "Success", "AccessKeyId": KEY_ID, "SecretAccessKey": SECRET, "Token": TOKEN}
    return json.dumps(
        answer | {"Expiration": "2026-11-21T01:11:41Z", "LastUpdated": "2026-01-01T00:00:00Z"}
    ).encode()


def _talk(cut: int) -> Conversation:
    secret = ("Cookie: cookie-value", f"Authorization: Bearer {TOKEN}", f"X-aws-ec2-metadata-token: {TOKEN}")
    whole = response(
        _document(), "Set-Cookie: session-value", f"Location: https://user:pass@h/x?sig=sig-value#{SECRET}"
    )
    talk = Conversation().ask(get(PATH, *secret)).reply(whole, [cut, len(whole) - cut])
    half = len(_document()) // 2
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(p), p) for p in (_document()[:half], _document()[half:], b""))
    talk.ask(get(f"{PATH}?X-Amz-Signature=sig-value&bare0key;jsessionid=session-value"))
    talk.reply(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks)
    talk.ask(get(f"http://user:pass@h/p;jsessionid=session-value/q?{SECRET}")).reply(response(TOKEN.encode()))
    return talk.ask(get(f"/{TOKEN}", f"X-{SECRET}: x").replace(f"/{TOKEN}".encode(), b"/last"))


@pytest.mark.parametrize("cut", [60, 150, 200, 260, 300])
def test_no_secret_in_any_table(tmp_path: Path, cut: int) -> None:
    found = rows(_talk(cut).capture(tmp_path))
    text = repr(found)
    assert [secret for secret in SECRETS if secret in text] == []
    assert [row["path"] for row in found] == [
        PATH, f"{PATH}?X-Amz-Signature=*&*;jsessionid=*", "http://h/p;*/q?*", "/last",
    ]  # fmt: skip
    assert [row["expiration_ns"] for row in found[:2]] == [1795223501000000000] * 2
    assert [row["metadata_code"] for row in found] == ["Success", "Success", "", ""]
    assert found[0]["location"] == "https://h/x?sig=*"


def _secrets_of(folder: Path) -> set[bytes]:
    """Real values in the bodies and headers of metadata traffic."""
    found: set[bytes] = set()
    for path in folder.glob("*.pcap"):
        data = path.read_bytes()
        found |= set(re.findall(rb'"(?:AccessKeyId|SecretAccessKey|Token)"\s*:\s*"([^"]{12,})"', data))
        found |= set(re.findall(rb"(?i)x-aws-ec2-metadata-token: ([^\r]{12,})", data))
        found |= set(re.findall(rb"Signature=([0-9a-f]{16,})", data))
        found |= set(re.findall(rb"X-Amz-Security-Token: ([^\r]{12,})", data))
    return {secret[:20] for secret in found}


@pytest.mark.parametrize("name", ["imds-burst", "imds-burst-v2", "imds-burst-ecs"])
def test_real_metadata_answers_leave_nothing_secret(tmp_path: Path, extra_captures: Path, name: str) -> None:
    folder = extra_captures / "lab" / name
    secrets = _secrets_of(folder)
    assert len(secrets) >= 3
    for path in sorted(folder.glob("*.pcap")):
        ingested = ingest_file(path, name=path.name, folder=tmp_path / path.name)
        analyse(
            [ingested],
            label="x",
            created="2026-01-01T00:00:00Z",
            tool_version="0",
            folder=tmp_path / f"{path.name}-r",
        )
    gc.collect()
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(written) > 10
    for path in written:
        data = _plain_bytes(path)
        assert not [secret for secret in secrets if secret in data], path


def _plain_bytes(path: Path) -> bytes:
    """Columns of a Parquet file are compressed; their values are what counts."""
    if path.suffix != ".parquet":
        return path.read_bytes()
    import pyarrow.parquet as pq

    table = pq.read_table(path)
    texts = [name for name in table.column_names if str(table.schema.field(name).type) == "string"]
    return repr(table.select(texts).to_pydict()).encode() + path.read_bytes()
