"""Share links: make, list, close; and the session of someone who opens one."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response, status

from backend.api.dependencies import SHARE_COOKIE, InvestigationId, ShareId, StoreDep, guessing_a_share
from backend.api.schemas.shares import NewShare, Secret, Share, ShareList, ShareSession, ShareWish
from backend.services import share_investigation as service

router = APIRouter(tags=["shares"])


@router.post("/investigations/{investigation_id}/shares", status_code=status.HTTP_201_CREATED)
def create_share(investigation_id: InvestigationId, wish: ShareWish, store: StoreDep) -> NewShare:
    """A read-only link to the investigation or one finding; its secret is shown here and never again."""
    made = service.share_investigation(
        store,
        investigation_id,
        service.ShareWish(wish.expires_days, wish.finding, wish.addresses, wish.password, wish.show_title),
    )
    return NewShare(**Share.of(made.share).model_dump(), url_path=made.url_path, secret=made.secret)


@router.get("/investigations/{investigation_id}/shares")
def list_shares(investigation_id: InvestigationId, store: StoreDep) -> ShareList:
    """All links of an investigation."""
    return ShareList(items=[Share.of(found) for found in service.list_shares(store, investigation_id)])


@router.delete("/investigations/{investigation_id}/shares/{share_id}", status_code=status.HTTP_204_NO_CONTENT)
def revoke_share(investigation_id: InvestigationId, share_id: ShareId, store: StoreDep) -> None:
    """Close a link."""
    service.revoke_share(store, investigation_id, share_id)


@router.post("/shared/{share_id}/session")
def open_session(
    share_id: ShareId, given: Secret, store: StoreDep, request: Request, response: Response
) -> ShareSession:
    """Show the secret once; afterwards the token, or the cookie, opens this link's reading addresses."""
    with guessing_a_share(request, share_id):
        share, token = service.begin_session(store, share_id, given.secret, given.password)
    response.set_cookie(
        SHARE_COOKIE, token, path=f"/api/v1/shared/{share_id}", httponly=True, samesite="strict"
    )
    shown = Share.of(share)
    return ShareSession(token=token, expires=share.expires, finding=shown.finding, addresses=shown.addresses)
