"""Sentences of `netstat -s` and the counters they stand for (net-tools, statistics.c).

A number is written as ``#``; net-tools has changed its spelling over time, so some counters have two sentences.
"""

from __future__ import annotations

from typing import Final

_OF_SECTION: Final = {
    "Ip": {
        "# total packets received": "InReceives",
        "# with invalid headers": "InHdrErrors",
        "# with invalid addresses": "InAddrErrors",
        "# forwarded": "ForwDatagrams",
        "# with unknown protocol": "InUnknownProtos",
        "# incoming packets discarded": "InDiscards",
        "# incoming packets delivered": "InDelivers",
        "# requests sent out": "OutRequests",
        "# outgoing packets dropped": "OutDiscards",
        "# dropped because of missing route": "OutNoRoutes",
        "# fragments dropped after timeout": "ReasmTimeout",
        "# reassemblies required": "ReasmReqds",
        "# packets reassembled ok": "ReasmOKs",
        "# packet reassembles failed": "ReasmFails",
        "# packet reassemblies failed": "ReasmFails",
        "# fragments received ok": "FragOKs",
        "# fragments failed": "FragFails",
        "# fragments created": "FragCreates",
    },
    "Icmp": {
        "# ICMP messages received": "InMsgs",
        "# input ICMP message failed": "InErrors",
        "# input ICMP message failed.": "InErrors",
        "# ICMP messages sent": "OutMsgs",
        "# ICMP messages failed": "OutErrors",
    },
    "Tcp": {
        "# active connection openings": "ActiveOpens",
        "# active connections openings": "ActiveOpens",
        "# passive connection openings": "PassiveOpens",
        "# failed connection attempts": "AttemptFails",
        "# connection resets received": "EstabResets",
        "# connections established": "CurrEstab",
        "# segments received": "InSegs",
        "# segments sent out": "OutSegs",
        "# segments send out": "OutSegs",
        "# segments retransmitted": "RetransSegs",
        "# segments retransmited": "RetransSegs",
        "# bad segments received": "InErrs",
        "# bad segments received.": "InErrs",
        "# resets sent": "OutRsts",
    },
    "Udp": {
        "# packets received": "InDatagrams",
        "# packets to unknown port received": "NoPorts",
        "# packets to unknown port received.": "NoPorts",
        "# packet receive errors": "InErrors",
        "# packets sent": "OutDatagrams",
        "# receive buffer errors": "RcvbufErrors",
        "# send buffer errors": "SndbufErrors",
    },
    "TcpExt": {
        "# SYN cookies sent": "SyncookiesSent",
        "# SYN cookies received": "SyncookiesRecv",
        "# invalid SYN cookies received": "SyncookiesFailed",
        "# resets received for embryonic SYN_RECV sockets": "EmbryonicRsts",
        "# packets pruned from receive queue because of socket buffer overrun": "PruneCalled",
        "# packets pruned from receive queue": "RcvPruned",
        "# packets dropped from out-of-order queue because of socket buffer overrun": "OfoPruned",
        "# ICMP packets dropped because they were out-of-window": "OutOfWindowIcmps",
        "# ICMP packets dropped because socket was locked": "LockDroppedIcmps",
        "# TCP sockets finished time wait in fast timer": "TW",
        "# time wait sockets recycled by time stamp": "TWRecycled",
        "# TCP sockets finished time wait in slow timer": "TWKilled",
        "# passive connections rejected because of time stamp": "PAWSPassive",
        "# active connections rejected because of time stamp": "PAWSActive",
        "# packets rejects in established connections because of timestamp": "PAWSEstab",
        "# packets directly received from backlog": "TCPDirectCopyFromBacklog",
        "# packets directly received from prequeue": "TCPDirectCopyFromPrequeue",
        "# packetes rejected in established connections because of timestamp": "PAWSEstab",
        "# packets rejected in established connections because of timestamp": "PAWSEstab",
        "# delayed acks sent": "DelayedACKs",
        "# delayed acks further delayed because of locked socket": "DelayedACKLocked",
        "Quick ack mode was activated # times": "DelayedACKLost",
        "# times the listen queue of a socket overflowed": "ListenOverflows",
        "# SYNs to LISTEN sockets dropped": "ListenDrops",
        "# SYNs to LISTEN sockets ignored": "ListenDrops",
        "# packets directly queued to recvmsg prequeue": "TCPPrequeued",
        "# packets directly queued to recvmsg prequeue.": "TCPPrequeued",
        "# packets header predicted": "TCPHPHits",
        "# packet headers predicted": "TCPHPHits",
        "# packets header predicted and directly queued to user": "TCPHPHitsToUser",
        "# acknowledgments not containing data payload received": "TCPPureAcks",
        "# acknowledgments not containing data received": "TCPPureAcks",
        "# predicted acknowledgments": "TCPHPAcks",
        "# times recovered from packet loss due to fast retransmit": "TCPRenoRecovery",
        "# times recovered from packet loss by selective acknowledgements": "TCPSackRecovery",
        "# times recovered from packet loss due to SACK data": "TCPSackRecovery",
        "# bad SACKs received": "TCPSACKReneging",
        "# bad SACK blocks received": "TCPSACKReneging",
        "Detected reordering # times using FACK": "TCPFACKReorder",
        "Detected reordering # times using SACK": "TCPSACKReorder",
        "Detected reordering # times using reno fast retransmit": "TCPRenoReorder",
        "Detected reordering # times using time stamp": "TCPTSReorder",
        "# congestion windows fully recovered": "TCPFullUndo",
        "# congestion windows fully recovered without slow start": "TCPFullUndo",
        "# congestion windows partially recovered using Hoe heuristic": "TCPPartialUndo",
        "# congestion window recovered using DSACK": "TCPDSACKUndo",
        "# congestion windows recovered by DSACK": "TCPDSACKUndo",
        "# congestion windows recovered after partial ack": "TCPLossUndo",
        "# congestion windows recovered without slow start by DSACK": "TCPDSACKUndo",
        "# congestion windows recovered without slow start after partial ack": "TCPLossUndo",
        "# timeouts after reno fast retransmit": "TCPRenoFailures",
        "# timeouts after SACK recovery": "TCPSackFailures",
        "# timeouts in loss state": "TCPLossFailures",
        "# fast retransmits": "TCPFastRetrans",
        "# forward retransmits": "TCPForwardRetrans",
        "# retransmits in slow start": "TCPSlowStartRetrans",
        "# other TCP timeouts": "TCPTimeouts",
        "# classic Reno fast retransmits failed": "TCPRenoRecoveryFail",
        "# SACK retransmits failed": "TCPSackRecoveryFail",
        "# times receiver scheduled too late for direct processing": "TCPSchedulerFailed",
        "# packets collapsed in receive queue due to low socket buffer": "TCPRcvCollapsed",
        "# DSACKs sent for old packets": "TCPDSACKOldSent",
        "# DSACKs sent for out of order packets": "TCPDSACKOfoSent",
        "# DSACKs received": "TCPDSACKRecv",
        "# DSACKs for out of order packets received": "TCPDSACKOfoRecv",
        "# connections reset due to unexpected SYN": "TCPAbortOnSyn",
        "# connections reset due to unexpected data": "TCPAbortOnData",
        "# connections reset due to early user close": "TCPAbortOnClose",
        "# connections aborted due to memory pressure": "TCPAbortOnMemory",
        "# connections aborted due to timeout": "TCPAbortOnTimeout",
        "# connections aborted after user close in linger timeout": "TCPAbortOnLinger",
        "# times unable to send RST due to no memory": "TCPAbortFailed",
        "TCP ran low on memory # times": "TCPMemoryPressures",
        "# TCP data loss events": "TCPLoss",
        "# bytes directly in process context from backlog": "TCPDirectCopyFromBacklog",
        "# bytes directly received in process context from prequeue": "TCPDirectCopyFromPrequeue",
        "# packets dropped from prequeue": "TCPPrequeueDropped",
        "# of bytes directly received in process context": "TCPDirectCopyFromPrequeue",
        "# packets reordered": "TCPReorder",
    },
}

SENTENCES: Final = {
    (section, sentence): section + name
    for section, sentences in _OF_SECTION.items()
    for sentence, name in sentences.items()
} | {
    (section, sentence): section + name
    for section in ("Udp6", "UdpLite", "UdpLite6")
    for sentence, name in _OF_SECTION["Udp"].items()
} | {("Ip6", sentence): "Ip6" + name for sentence, name in _OF_SECTION["Ip"].items()} | {
    ("Icmp6", sentence): "Icmp6" + name for sentence, name in _OF_SECTION["Icmp"].items()
}  # fmt: skip
"""(section, sentence) -> the kernel's name."""

ONLY_ONE: Final = {
    sentence: name
    for (section, sentence), name in SENTENCES.items()
    if section == "TcpExt" and sum(other == sentence for _, other in SENTENCES) == 1
}
"""Sentences that are of one section alone -> the kernel's name."""
