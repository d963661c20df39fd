"""The rules of one link, as its viewers meet them."""

from __future__ import annotations

from backend.services.redaction.names import Hiding, Names
from backend.services.redaction.private_texts import read_names
from backend.services.redaction.shared_filter import shown_filter
from backend.services.redaction.shared_view import SharedView
from backend.services.scope import Scope
from backend.storage.records import Share, ShareView
from backend.storage.store import Store


def shared_view(store: Store, share: Share, scope: Scope) -> SharedView | None:
    """The rules of a link over what it shows (`freeze_investigation.store_shown`); None where it shows all as it is."""
    names = names_of(store, share)
    return None if names is None and scope.is_whole else SharedView(names, scope)


def names_of(store: Store, share: Share) -> Names | None:
    """What stands for what the link hides; None where it hides nothing."""
    hiding = Hiding(addresses=share.addresses == "names", payload=share.payload == "removed")
    if not (hiding.addresses or hiding.payload):
        return None
    return read_names(store, share.investigation_id, hiding, share.pseudonym_key)


def shown_view(store: Store, share: Share) -> ShareView | None:
    """The view of a link with its filter and lanes in the words that its viewers see."""
    view, names = share.view, names_of(store, share)
    if view is None or names is None:
        return view
    return ShareView(
        view.from_ns, view.to_ns, shown_filter(view.filter, names), tuple(map(names.text, view.lanes))
    )
