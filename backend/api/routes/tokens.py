"""Access tokens: for admins."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, status

from backend.access import tokens as service
from backend.api.dependencies import ID_PATTERN, CallerDep, StoreDep
from backend.api.schemas.access import NewTokenView, TokenList, TokenOptions, TokenView

router = APIRouter(prefix="/tokens", tags=["tokens"])
TokenId = Annotated[str, Path(description="Id of the token", pattern=ID_PATTERN)]


@router.get("")
def list_tokens(store: StoreDep) -> TokenList:
    """All of them, expired ones too."""
    return TokenList(items=[TokenView.of(token) for token in service.list_tokens(store)])


@router.post("", status_code=status.HTTP_201_CREATED)
def create_token(options: TokenOptions, store: StoreDep, caller: CallerDep) -> NewTokenView:
    """A token for a program; it is shown here and never again."""
    made = service.issue_token(
        store,
        options.name,
        options.scope,
        expires_days=options.expires_days,
        member_id=caller.member.id if caller.member else None,
    )
    return NewTokenView(**TokenView.of(made.token).model_dump(), token=made.text)


@router.delete("/{token_id}", status_code=status.HTTP_204_NO_CONTENT)
def revoke_token(token_id: TokenId, store: StoreDep) -> None:
    """Revoke it permanently."""
    service.revoke_token(store, token_id)
