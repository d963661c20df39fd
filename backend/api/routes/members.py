"""Members: for admins."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, status

from backend.access import manage_members as service
from backend.api.dependencies import ID_PATTERN, SignInMethodsDep, StoreDep
from backend.api.schemas.access import MemberChange, MemberList, MemberView, MemberWithPassword, NewMember
from backend.errors import Conflict

router = APIRouter(prefix="/members", tags=["members"])
MemberId = Annotated[str, Path(description="Id of the member", pattern=ID_PATTERN)]


@router.get("")
def list_members(store: StoreDep) -> MemberList:
    """All of them."""
    return MemberList(items=[MemberView.of(member) for member in service.list_members(store)])


@router.post("", status_code=status.HTTP_201_CREATED)
def add_member(options: NewMember, store: StoreDep, methods: SignInMethodsDep) -> MemberWithPassword:
    """A member who signs in with a password, which is shown only here."""
    if not methods.password:
        raise Conflict("Nobody signs in with a password on this server.")
    return _with_password(service.add_member(store, options.name, options.role))


@router.patch("/{member_id}")
def change_member(member_id: MemberId, change: MemberChange, store: StoreDep) -> MemberView:
    """Another role, or no entry any more."""
    return MemberView.of(service.change_member(store, member_id, role=change.role, blocked=change.blocked))


@router.post("/{member_id}/password")
def give_new_password(member_id: MemberId, store: StoreDep) -> MemberWithPassword:
    """For a member who lost the password; the new one is shown only here."""
    return _with_password(service.give_new_password(store, member_id))


@router.delete("/{member_id}", status_code=status.HTTP_204_NO_CONTENT)
def remove_member(member_id: MemberId, store: StoreDep) -> None:
    """Remove a member with sessions and tokens; what they created is kept."""
    service.remove_member(store, member_id)


def _with_password(made: service.NewPassword) -> MemberWithPassword:
    return MemberWithPassword(**MemberView.of(made.member).model_dump(), password=made.password)
