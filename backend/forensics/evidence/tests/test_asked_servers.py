"""Whom attempts named whose SYN was sent again."""

import numpy as np
import pytest

from backend.forensics.evidence.attempts.attempts import Attempts
from backend.forensics.evidence.facts import gather_facts
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, S, plain_path

BUSY, QUIET, ANSWERING = "192.0.2.9:80", "192.0.2.10:443", "192.0.2.11:80"


def attempts_to(*servers: str) -> Attempts:
    """A SYN sent twice to each, and one that is answered at once."""
    made = CaptureBuilder(places=("eth0",))
    for number, server in enumerate(servers):
        path = plain_path(f"10.0.0.1:{5000 + number}", server, "eth0")
        for wait_s in (0, 1):
            made.syn(T0_NS + number * 70 * MS + wait_s * S, path, isn=100 + number)
    made.connect(T0_NS, plain_path("10.0.0.1:6000", ANSWERING, "eth0"), isn=500)
    return gather_facts([made.build()], []).attempts


def test_attempts_are_found_by_the_text_of_their_server() -> None:
    attempts = attempts_to(BUSY, QUIET, BUSY)
    found = {server: attempts.retried_links_to(server) for server in (BUSY, QUIET, ANSWERING)}
    assert [len(links) for links in found.values()] == [2, 1, 0]
    assert attempts.was_retried(np.concatenate([found[BUSY], found[QUIET]])).all()
    assert int(attempts.was_retried(attempts.table["link"]).sum()) == 3


@pytest.mark.parametrize("target", ["", "192.0.2.9", "1:2:3:4::5:6", "several hosts", "192.0.2.9:080"])
def test_other_texts_name_no_server(target: str) -> None:
    assert not len(attempts_to(BUSY).retried_links_to(target))


def test_the_address_that_most_named_comes_first_then_that_of_the_least_text() -> None:
    assert attempts_to(BUSY, QUIET, BUSY).most_asked(np.arange(4)) == "192.0.2.9"
    tied = attempts_to(BUSY, QUIET)
    assert tied.most_asked(tied.table["link"]) == "192.0.2.10"
    assert tied.most_asked(np.zeros(0, np.int64)) == ""
