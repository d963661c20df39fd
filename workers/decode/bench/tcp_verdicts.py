"""Who is right where tshark and we differ on a TCP segment, and by which rule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from backend.forensics import packets as p
from workers.decode.bench.tcp_differences import OURS, THEIRS, Segment

UNEXPLAINED: Final = "Not explained."


@dataclass(frozen=True)
class Verdict:
    """A reason for a difference: where it applies, and a sentence."""

    flags: tuple[str, ...]
    """Empty for all."""
    side: str
    applies: Callable[[Segment], bool]
    sentence: str


def _retransmission(segment: Segment) -> bool:
    return bool(segment.marks & p.MARK_RETRANSMISSION)


def _theirs_names(*names: str) -> Callable[[Segment], bool]:
    return lambda segment: not segment.theirs.isdisjoint(names)


VERDICTS: Final = (
    Verdict(
        (), THEIRS, lambda s: bool(s.marks & p.MARK_COPY),
        "Ours: the capture holds one packet twice (same IP ID, time stamp, numbers; a mirror, or a bridge and "
        "its port), which RFC 9293 has no word for, since nothing was sent twice.",
    ),
    Verdict(
        (), OURS, lambda s: s.row["captured_bytes"] < s.row["original_bytes"] and not s.theirs,
        "Ours: tshark does not analyse a segment whose options the snap length cut; the sequence numbers of "
        "RFC 9293 section 3.4 are there.",
    ),
    Verdict(
        ("retransmission", "duplicate ACK"), THEIRS, lambda s: s.row["vlan"] != 0 or s.row["tunnel"] != 0,
        "Ours: the same tuple in another VLAN or tunnel is another connection: RFC 9293 section 3.4.1 identifies "
        "one by sockets, and addresses are unique within one network only.",
    ),
    Verdict(
        ("ACK of unseen data", "previous segment not captured"), THEIRS,
        lambda s: s.row["tunnel"] != 0 and s.after_cut,
        "Ours: the snap length cut frames of this tunnel, and the outer IP length is that of the cut packet; the inner "
        "one (RFC 791) still tells the length, and agrees with the length the record gives.",
    ),
    Verdict(
        (), THEIRS, lambda s: not s.in_order,
        "Ours: the file is not in order of time, so that this connection's SYN comes after its other packets.",
    ),
    Verdict(
        ("retransmission",), OURS, _theirs_names("out_of_order"),
        "Ours: these bytes had passed here before, so they were sent again (RFC 9293 section 3.8.1), however "
        "soon.",
    ),
    Verdict(
        ("out of order",), THEIRS, _retransmission,
        "Ours: these bytes had passed here before, so nothing overtook them; theirs judges by the time since the "
        "latest segment alone.",
    ),
    Verdict(
        ("fast retransmission",), THEIRS, _retransmission,
        "Ours: fewer than three duplicate ACKs (RFC 5681 section 3.2) and no more than two segments SACKed (RFC "
        "6675 section 4); theirs is content with two.",
    ),
    Verdict(
        ("fast retransmission",), OURS, _theirs_names("retransmission", "out_of_order"),
        "Ours: within the recovery after three duplicate ACKs or as much SACKed data (RFC 6675 section 5), and "
        "within a round trip and 20 ms; theirs wants the segment right at the ACK or within 20 ms of it.",
    ),
    Verdict(
        ("spurious retransmission",), OURS, lambda s: s.row["payload_bytes"] == 0,
        "Ours: an acknowledged FIN was sent again; a FIN takes a sequence number (RFC 9293 section 3.4), theirs "
        "looks at payload only.",
    ),
    Verdict(
        ("duplicate ACK",), THEIRS, lambda s: not s.outstanding,
        "Ours: nothing was outstanding, which RFC 5681 section 2 (a) asks for.",
    ),
    Verdict(
        ("duplicate ACK",), OURS, lambda s: s.row["sack"] & 0x0F > 0 and "window_update" in s.theirs,
        "Ours: it reports data received out of order in a SACK block, which makes it a duplicate ACK whatever its "
        "window (RFC 6675 section 2).",
    ),
    Verdict(
        ("window update",), THEIRS, lambda s: bool(s.marks & p.MARK_DUPLICATE_ACK),
        "Ours: a duplicate ACK by its SACK block (RFC 6675 section 2); that its window differs is not its reason.",
    ),
    Verdict(
        ("zero window probe",), OURS, lambda s: "keep_alive" in s.theirs,
        "Both: Linux probes a closed window (RFC 9293 section 3.8.6.1) with the packet that is its keep-alive; ours "
        "says both, since the window is closed.",
    ),
    Verdict(
        ("answer to keep-alive or probe",), OURS, lambda s: "zero_window" in s.theirs,
        "Ours: it answers a probe and says that the window is still closed (RFC 9293 section 3.8.6.1); theirs "
        "names the zero window only.",
    ),
)  # fmt: skip


def verdict(flag: str, side: str, segment: Segment) -> str:
    """The sentence for this difference."""
    for known in VERDICTS:
        if known.side == side and (not known.flags or flag in known.flags) and known.applies(segment):
            return known.sentence
    return UNEXPLAINED
