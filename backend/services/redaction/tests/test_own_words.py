"""Which files of this program its own words are taken from."""

from pathlib import Path

from backend.services.redaction.own_words import source_files_below


def test_the_folder_of_an_installation_may_have_any_name(tmp_path: Path) -> None:
    package = tmp_path / "tests" / "bench" / "forensics"
    for name in ("sentences.py", "tests/test_sentences.py", "causes/bench/speed.py"):
        path = package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    assert source_files_below(package) == [package / "sentences.py"]
