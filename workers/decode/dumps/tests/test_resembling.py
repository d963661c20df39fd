"""A text that no format knows is described: what it resembles, and what to send instead."""

from workers.decode.dumps.resembling import describe_unknown, resembled


def test_a_text_is_described_by_the_words_of_formats() -> None:
    found = resembled(["some words", "10.0.0.1 lladdr", "flags [S.], seq 1 ack 2", "flags [.], seq 2 ack 2"])
    assert [(each.name, each.line, each.lines) for each in found] == [("tcpdump", 3, 2), ("ip", 2, 1)]


def test_every_description_says_what_to_send() -> None:
    unlike, alike = describe_unknown(["hello", ""]), describe_unknown(["iptables -L says no"])
    assert "1 of 1 lines not understood" in unlike[0]
    assert "It resembles no known format. Send a capture" in unlike[1]
    assert "It resembles iptables (line 1)" in alike[1]
    assert alike[1].endswith("Send the output of: iptables-save -c")
