/** Members: for admins, on a server where one signs in. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";

import { ask } from "../api/http";
import { askAgain } from "../api/refetch";
import type { components } from "../api/schema";
import { Region } from "../ui/Region";
import { OnceShown } from "./OnceShown";
import { useWho } from "./who";
import "./access.css";

type Member = components["schemas"]["MemberView"];
type WithPassword = components["schemas"]["MemberWithPassword"];

const MEMBERS = ["members"];
const ROLES = [
  ["viewer", "viewer: reads"],
  ["analyst", "analyst: creates, shares, deletes own"],
  ["admin", "admin: members and tokens too"],
] as const;

export function MembersPanel() {
  const who = useWho();
  if (!who.data?.required || !who.data.may.includes("admin")) return null;
  return <Members withPasswords={who.data.password} />;
}

function Members({ withPasswords }: { withPasswords: boolean }) {
  const queries = useQueryClient();
  const [shown, setShown] = useState<WithPassword | null>(null);
  const members = useQuery({
    queryKey: MEMBERS,
    queryFn: async ({ signal }) => (await ask<{ items: Member[] }>("/api/v1/members", { signal })).items,
  });
  const change = useMutation({
    mutationFn: ({ path, method, json }: { path: string; method: string; json?: unknown }) =>
      ask<WithPassword | undefined>(`/api/v1/members${path}`, { method, json }),
    onSuccess: async (answer) => {
      setShown(answer?.password ? answer : null);
      await askAgain(queries, { queryKey: MEMBERS });
    },
  });
  return (
    <section className="card panel members" aria-labelledby="members-title">
      <h2 id="members-title">Members</h2>
      {withPasswords && <AddMember add={(json) => change.mutate({ path: "", method: "POST", json })} />}
      {change.error && <p role="alert">{change.error.message}</p>}
      {shown && <OnceShown what={`Password of ${shown.name}`} secret={shown.password} />}
      <Region label="Members" query={members}>
        {(found) => (
          <div className="access-scroll" tabIndex={0} role="region" aria-label="Members, table">
            <table className="table">
              <thead><tr><th>Name</th><th>Role</th><th>Signs in</th><th>Last sign-in</th><th aria-label="Actions" /></tr></thead>
              <tbody>
                {found.map((member) => (
                  <MemberRow key={member.id} member={member} change={(path, method, json) => change.mutate({ path: `/${member.id}${path}`, method, json })} />
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Region>
    </section>
  );
}

function MemberRow({ member, change }: { member: Member; change: (path: string, method: string, json?: unknown) => void }) {
  return (
    <tr data-testid="member">
      <th scope="row">{member.name}{member.blocked && <span className="dim"> (blocked)</span>}</th>
      <td>
        {member.issuer ? member.role : (
          <select className="input" aria-label={`Role of ${member.name}`} value={member.role} onChange={(event) => change("", "PATCH", { role: event.target.value })}>
            {ROLES.map(([role]) => <option key={role} value={role}>{role}</option>)}
          </select>
        )}
      </td>
      <td>{member.issuer ? `at ${member.issuer.replace(/^https?:\/\//, "")}` : "with a password"}</td>
      <td>{member.last_sign_in ? `${member.last_sign_in.slice(0, 16).replace("T", " ")} UTC` : "never"}</td>
      <td className="number members-actions">
        {!member.issuer && <button type="button" className="link-button" onClick={() => change("/password", "POST")}>New password</button>}
        <button type="button" className="link-button" onClick={() => change("", "PATCH", { blocked: !member.blocked })}>{member.blocked ? "Unblock" : "Block"}</button>
        <button type="button" className="link-button" onClick={() => change("", "DELETE")}>Remove</button>
      </td>
    </tr>
  );
}

function AddMember({ add }: { add: (json: { name: string; role: string }) => void }) {
  const [name, setName] = useState("");
  const [role, setRole] = useState("analyst");
  function submit(event: FormEvent) {
    event.preventDefault();
    add({ name, role });
    setName("");
  }
  return (
    <form className="access-form" onSubmit={submit}>
      <label className="field"><span>Name</span><input className="input" required maxLength={100} autoComplete="off" value={name} onChange={(event) => setName(event.target.value)} /></label>
      <label className="field">
        <span>Role</span>
        <select className="input" value={role} onChange={(event) => setRole(event.target.value)}>
          {ROLES.map(([value, words]) => <option key={value} value={value}>{words}</option>)}
        </select>
      </label>
      <button type="submit" className="button button-main">Add member</button>
    </form>
  );
}
