import tarfile
from pathlib import Path

import pytest

import backend.demo
from workers.cli.exit_codes import EXIT_DONE, EXIT_USAGE
from workers.cli.main import main

DEMO = Path(next(iter(backend.demo.__path__))) / "imds-burst"


def test_a_folder_becomes_a_bundle_and_the_same_key_gives_the_same_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    key = tmp_path / "team.key"
    bundles = [tmp_path / name for name in ("one.tar.gz", "two.tar.gz", "other.tar.gz")]
    listings = []
    for bundle, with_key in zip(bundles, (True, True, False), strict=True):
        options = ["--key-file", str(key)] if with_key else []
        assert main(["anonymise", str(DEMO / "conntrack-L.txt"), "--out", str(bundle), *options]) == EXIT_DONE
        with tarfile.open(bundle) as archive:
            assert archive.getnames() == ["dump-1.txt"]
            held = archive.extractfile("dump-1.txt")
            assert held is not None
            listings.append(held.read())
    assert listings[0] == listings[1] != listings[2]
    assert key.stat().st_mode & 0o777 == 0o600
    assert "1 file, 0 frames" in capsys.readouterr().out


def test_what_cannot_be_read_or_is_no_key_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nothing = tmp_path / "nothing.bin"
    nothing.write_bytes(b"\x00\x01\x02")
    assert main(["anonymize", str(nothing), "--out", str(tmp_path / "a.tar.gz")]) == EXIT_USAGE
    assert "none of the files" in capsys.readouterr().err
    short = tmp_path / "short.key"
    short.write_bytes(b"0123456789")
    assert main(["anonymize", str(DEMO), "--key-file", str(short)]) == EXIT_USAGE
    assert "10 bytes" in capsys.readouterr().err
    assert not (tmp_path / "a.tar.gz").exists()
