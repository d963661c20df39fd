/** The audit log in words. */
import type { components } from "../api/schema";

type AuditEvent = components["schemas"]["AuditEvent"];
export type Act = AuditEvent["act"];

/** In the order of the filter; a type checks that each act has words. */
export const ACTS: Record<Act, string> = {
  "read-original": "downloaded original",
  "export-packets": "exported packets",
  "open-link": "opened link",
  share: "created link",
  "revoke-link": "revoked link",
  "create-investigation": "created investigation",
  "rename-investigation": "renamed investigation",
  "delete-investigation": "deleted investigation",
  "upload-file": "uploaded file",
  "replace-file": "replaced file",
  "delete-file": "deleted file",
  "start-analysis": "started analysis",
  "cancel-analysis": "canceled analysis",
  "delete-note": "deleted note",
  "sign-in": "signed in",
  "sign-out": "signed out",
  "change-password": "changed password",
  "reset-password": "reset password",
  "add-member": "added member",
  "change-member": "changed member",
  "remove-member": "removed member",
  "create-token": "created token",
  "revoke-token": "revoked token",
  "read-audit-log": "downloaded audit log",
};

export function actWords(act: Act): string {
  return ACTS[act];
}

const KINDS: Record<AuditEvent["actor_kind"], string> = {
  local: "local user",
  member: "member",
  token: "token",
  link: "link",
  nobody: "not signed in",
};

/** A member by name; a token or link with what it is. */
export function actorWords({ actor_kind, actor_name, actor_id }: Pick<AuditEvent, "actor_kind" | "actor_name" | "actor_id">): string {
  if (actor_kind === "member") return actor_name;
  const name = actor_name || (actor_kind === "link" ? actor_id : "");
  return name ? `${KINDS[actor_kind]} ${name}` : KINDS[actor_kind];
}
