"""The rules of one link, as its viewers meet them."""

from __future__ import annotations

from functools import partial

from backend.services.open_tables import span_of
from backend.services.read_report import read_report
from backend.services.redaction.finding_scope import FindingScope
from backend.services.redaction.names import Hiding, Names
from backend.services.redaction.private_texts import read_names
from backend.services.redaction.shared_filter import shown_filter
from backend.services.redaction.shared_view import Scope, SharedView
from backend.services.redaction.view_limits import view_limits
from backend.services.redaction.view_scope import ViewScope
from backend.storage.records import Share, ShareView
from backend.storage.store import Store


def shared_view(store: Store, share: Share) -> SharedView | None:
    """The rules of a link over what it shows (`freeze_investigation.store_shown`); None where it shows all as it is.

    Raises NotFound where a scope needs a report and there is none."""
    names, scope = names_of(store, share), _scope(store, share)
    return None if names is None and scope is None else SharedView(names, scope)


def names_of(store: Store, share: Share) -> Names | None:
    """What stands for what the link hides; None where it hides nothing."""
    hiding = Hiding(addresses=share.addresses == "names", payload=share.payload == "removed")
    if not (hiding.addresses or hiding.payload):
        return None
    return read_names(store, share.investigation_id, hiding, share.pseudonym_key)


def _scope(store: Store, share: Share) -> Scope | None:
    if not share.finding_id and share.view is None:
        return None
    report = read_report(store, share.investigation_id)
    finding = FindingScope(report, share.finding_id) if share.finding_id else None
    if share.view is None:
        return finding
    begin_ns, end_ns = span_of(report)
    limits = view_limits(share.view, max(0, end_ns - begin_ns))
    holds = partial(limits.holds_packet, store, share.investigation_id)
    return ViewScope(report, limits, finding, holds)


def shown_view(store: Store, share: Share) -> ShareView | None:
    """The view of a link with its filter and lanes in the words that its viewers see."""
    view, names = share.view, names_of(store, share)
    if view is None or names is None:
        return view
    return ShareView(
        view.from_ns, view.to_ns, shown_filter(view.filter, names), tuple(map(names.text, view.lanes))
    )
