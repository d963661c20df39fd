/** The audit log in words. */
import type { components } from "../api/schema";

type AuditEvent = components["schemas"]["AuditEvent"];
export type Act = AuditEvent["act"];

/** In the order of the filter; a type checks that each act has words. */
export const ACTS: Record<Act, string> = {
  "read-original": "download original",
  "export-packets": "export packets",
  "open-link": "open link",
  share: "create link",
  "revoke-link": "revoke link",
  "create-investigation": "create investigation",
  "rename-investigation": "rename investigation",
  "delete-investigation": "delete investigation",
  "upload-file": "upload file",
  "replace-file": "replace file",
  "delete-file": "delete file",
  "start-analysis": "start analysis",
  "cancel-analysis": "cancel analysis",
  "delete-note": "delete note",
  "sign-in": "sign in",
  "sign-out": "sign out",
  "change-password": "change password",
  "reset-password": "reset password",
  "add-member": "add member",
  "change-member": "change member",
  "remove-member": "remove member",
  "create-token": "create token",
  "revoke-token": "revoke token",
  "read-audit-log": "download audit log",
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
