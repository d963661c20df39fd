"""What a chat shows of a link: it fetches every link that is posted, and whoever reads the channel sees it."""

from __future__ import annotations

from dataclasses import dataclass

from backend.errors import Gone, NotFound
from backend.forensics.cause_groups import headline_of
from backend.forensics.report import Report
from backend.services.freeze_investigation import store_shown
from backend.services.open_share import names_of
from backend.services.read_report import read_report, report_path
from backend.storage import shares
from backend.storage.records import Share, now_text
from backend.storage.store import Store

TITLE = "Packet investigation"
_VERDICTS = {
    "confirmed": "Confirmed",
    "likely": "Likely",
    "possible": "Possible",
    "cannot-tell": "Undecided",
}


@dataclass(frozen=True)
class Preview:
    """Title and description; `has_picture` where what was found may be shown."""

    title: str
    description: str
    has_picture: bool = False


def preview(store: Store, share_id: str) -> Preview:
    """What was found only where the link's maker wanted that shown, in the words that the link shows it in."""
    share = _share(store, share_id)
    if share is None:
        return Preview(TITLE, "")
    found = previewed(store, share_id)
    summary = _summary(*found) if found else ""
    # Without its secret, a link that says nothing looks like one that never was.
    return (
        Preview(summary, f"expires {share.expires[:10]}", has_picture=True) if summary else Preview(TITLE, "")
    )


def previewed(store: Store, share_id: str) -> tuple[Store, Share] | None:
    """(what the link is read from, the link) where its preview may show what was found, and there is a report."""
    share = _share(store, share_id)
    if share is None or not _is_open(share) or not share.show_title or share.password_hash:
        return None
    if share.view is not None and not share.finding_id:
        return None  # what a view without a finding shows may not be what was found
    try:
        shown = store_shown(store, share)
        report_path(shown, share.investigation_id)
    except (NotFound, Gone):
        return None
    return shown, share


def _share(store: Store, share_id: str) -> Share | None:
    try:
        with store.database.reading() as session:
            return shares.get_share(session, share_id)
    except NotFound:
        return None


def _is_open(share: Share) -> bool:
    return share.revoked is None and share.expires > now_text()


def _summary(shown: Store, share: Share) -> str:
    statement = _statement(read_report(shown, share.investigation_id), share)
    names = names_of(shown, share)
    return names.text(statement) if names else statement


def _statement(report: Report, share: Share) -> str:
    """``52 of 600 connections waited 1 s · Confirmed · 52.8 s lost``."""
    found = [each for each in report.diagnoses if not share.finding_id or share.finding_id in each.findings]
    first = headline_of(found, 0 if share.finding_id else report.destinations_total)
    if first is None:
        return ""
    lost = f"{first.time_lost_s:,.1f} s lost" if first.time_lost_s else ""
    return " · ".join(
        part for part in (first.statement.rstrip("."), _VERDICTS[first.diagnosis.verdict], lost) if part
    )
