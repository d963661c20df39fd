"""Share links: make, list, close; and the session of someone who opens one."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response, status

from backend.api.dependencies import (
    CallerDep,
    InvestigationId,
    ShareId,
    StoreDep,
    limited_password_attempt,
)
from backend.api.schemas.shares import NewShare, Secret, Share, ShareList, ShareOptions, ShareSession, View
from backend.api.share_session import share_cookie
from backend.services import share_investigation as service
from backend.services.freeze_investigation import store_shown
from backend.services.open_share import shown_view

router = APIRouter(tags=["shares"])


@router.post("/investigations/{investigation_id}/shares", status_code=status.HTTP_201_CREATED)
def create_share(
    investigation_id: InvestigationId, options: ShareOptions, store: StoreDep, caller: CallerDep
) -> NewShare:
    """A read-only link to the investigation, a finding or a view; its secret is shown here and never again."""
    made = service.share_investigation(
        store,
        investigation_id,
        service.ShareOptions(
            expires_days=options.expires_days,
            finding_id=options.finding,
            addresses=options.addresses,
            payload=options.payload,
            shows=options.shows,
            with_notes=options.notes,
            view=options.view.record() if options.view else None,
            password=options.password,
            show_title=options.show_title,
            made_by=caller.name,
        ),
    )
    return NewShare(
        **Share.of(made.share).model_dump(by_alias=True), url_path=made.url_path, secret=made.secret
    )


@router.get("/investigations/{investigation_id}/shares")
def list_shares(investigation_id: InvestigationId, store: StoreDep) -> ShareList:
    """All links of an investigation."""
    return ShareList(items=[Share.of(found) for found in service.list_shares(store, investigation_id)])


@router.delete("/investigations/{investigation_id}/shares/{share_id}", status_code=status.HTTP_204_NO_CONTENT)
def revoke_share(investigation_id: InvestigationId, share_id: ShareId, store: StoreDep) -> None:
    """Revoke a link."""
    service.revoke_share(store, investigation_id, share_id)


@router.post("/shared/{share_id}/session")
def open_session(
    share_id: ShareId, given: Secret, store: StoreDep, request: Request, response: Response
) -> ShareSession:
    """Exchange the secret for a session token or cookie, which reads this link's endpoints."""
    with limited_password_attempt(request, share_id, given.password):
        share, token = service.begin_session(store, share_id, given.secret, given.password)
    response.headers.append("Set-Cookie", share_cookie(request, share_id, token))
    body = Share.of(share).model_dump(by_alias=True)
    shown = shown_view(store_shown(store, share), share)
    view = View.of(shown).model_dump(by_alias=True) if shown else None
    return ShareSession.model_validate({**body, "token": token, "view": view})
