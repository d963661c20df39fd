"""Whether a caller that was admitted still is: sign-ins end, tokens are revoked, roles change."""

from __future__ import annotations

from backend.access.browser_sign_ins import recognise_sign_in
from backend.access.callers import Caller
from backend.access.ownership import check_rights
from backend.access.rules import Rule
from backend.access.tokens import recognise_token_id
from backend.errors import NotFound, Refused, SignInNeeded
from backend.storage.store import Store


def is_still_admitted(store: Store, caller: Caller, rule: Rule) -> bool:
    """By what is stored now; the secret that was shown is neither needed nor renewed."""
    if caller.token is not None:
        now = recognise_token_id(store, caller.token.id)
    elif caller.sign_in_id:
        now = recognise_sign_in(store, caller.sign_in_id)
    else:
        now = caller  # nobody, whose rights do not change
    try:
        check_rights(store, now, rule)
    except (Refused, SignInNeeded, NotFound):
        return False
    return True
