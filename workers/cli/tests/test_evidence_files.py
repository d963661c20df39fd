from pathlib import Path

import pytest

from workers.cli.evidence_files import find_evidence_files, read_pairs
from workers.cli.usage import WrongUsage


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in (
        "node-7/any.pcap",
        "node-7/before/S.txt",
        "node-7/after/S.txt",
        "node-7/.hidden",
        "node-7/.git/x",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    return tmp_path / "node-7"


def names(*given: Path) -> list[str]:
    return [file.name for file in find_evidence_files([str(path) for path in given], hosts={}, times_ns={})]


def test_a_directory_stands_for_all_its_files_but_hidden_ones(folder: Path) -> None:
    assert names(folder) == ["after/S.txt", "any.pcap", "before/S.txt"]


def test_only_as_much_of_the_path_as_tells_files_apart(folder: Path) -> None:
    assert names(folder / "before/S.txt") == ["S.txt"]
    assert names(folder / "before/S.txt", folder / "after/S.txt") == ["before/S.txt", "after/S.txt"]


def test_a_file_given_twice_is_read_once(folder: Path) -> None:
    assert names(folder / "any.pcap", folder) == ["any.pcap", "after/S.txt", "before/S.txt"]


def test_what_is_said_of_a_file_counts_more_than_what_is_said_of_its_folder(folder: Path) -> None:
    files = find_evidence_files(
        [str(folder)],
        hosts={str(folder): "node-7", "any.pcap": "node-8"},
        times_ns={str(folder / "after/S.txt"): 5},
    )
    assert [(file.name, file.host, file.captured_at_ns) for file in files] == [
        ("after/S.txt", "node-7", 5),
        ("any.pcap", "node-8", None),
        ("before/S.txt", "node-7", None),
    ]


def test_a_file_that_is_not_given_cannot_have_a_host(folder: Path) -> None:
    with pytest.raises(WrongUsage, match=r"other\.pcap"):
        find_evidence_files([str(folder)], hosts={"other.pcap": "a"}, times_ns={})


def test_the_last_equals_sign_divides() -> None:
    assert read_pairs(["a=b.pcap=node-7"], option="--host", form="FILE=NAME") == {"a=b.pcap": "node-7"}


@pytest.mark.parametrize("pair", ["", "=", "file", "file=", "=value"])
def test_half_a_pair_is_wrong_usage(pair: str) -> None:
    with pytest.raises(WrongUsage, match="--host needs FILE=NAME"):
        read_pairs([pair], option="--host", form="FILE=NAME")
