/** Tokens of programs: make, list, revoke. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent, type ReactNode } from "react";

import { ask } from "../api/http";
import { askAgain } from "../api/refetch";
import type { components } from "../api/schema";
import { Region } from "../ui/Region";
import { OnceShown } from "./OnceShown";
import "./access.css";

type Token = components["schemas"]["TokenView"];
type NewToken = components["schemas"]["NewTokenView"];

const TOKENS = ["tokens"];
const LIFETIMES_DAYS = [7, 30, 90, 365];
const SCOPES = [
  ["upload", "upload: create, upload, read, compare"],
  ["read", "read: read everything"],
  ["admin", "admin: everything, members and tokens too"],
] as const;

/** `whenMade` is shown below a token at the only moment when it can be read. */
export function TokensPanel({ whenMade }: { whenMade?: (token: string) => ReactNode }) {
  const queries = useQueryClient();
  const tokens = useQuery({
    queryKey: TOKENS,
    queryFn: async ({ signal }) => (await ask<{ items: Token[] }>("/api/v1/tokens", { signal })).items,
  });
  const revoke = useMutation({
    mutationFn: (id: string) => ask(`/api/v1/tokens/${id}`, { method: "DELETE" }),
    onSuccess: () => askAgain(queries, { queryKey: TOKENS }),
  });
  return (
    <section className="card panel" aria-labelledby="tokens-title">
      <h2 id="tokens-title">Access tokens</h2>
      <p className="dim">A program sends one as <code>Authorization: Bearer …</code>; the command line reads it from <code>STALLSCOPE_TOKEN</code>.</p>
      <CreateToken whenMade={whenMade} />
      <Region label="Tokens" query={tokens} empty={(found) => (found.length ? null : "No tokens yet.")}>
        {(found) => <TokenTable tokens={found} revoke={(id) => revoke.mutate(id)} />}
      </Region>
    </section>
  );
}

function CreateToken({ whenMade }: { whenMade: ((token: string) => ReactNode) | undefined }) {
  const queries = useQueryClient();
  const [name, setName] = useState("");
  const [scope, setScope] = useState("upload");
  const [days, setDays] = useState(90);
  const create = useMutation({
    mutationFn: () => ask<NewToken>("/api/v1/tokens", { method: "POST", json: { name, scope, expires_days: days } }),
    onSuccess: async () => {
      setName("");
      await askAgain(queries, { queryKey: TOKENS });
    },
  });
  function submit(event: FormEvent) {
    event.preventDefault();
    create.mutate();
  }
  return (
    <>
      <form className="access-form" onSubmit={submit}>
        <label className="field"><span>Name</span><input className="input" required maxLength={100} placeholder="nightly checkout" value={name} onChange={(event) => setName(event.target.value)} /></label>
        <label className="field">
          <span>Scope</span>
          <select className="input" value={scope} onChange={(event) => setScope(event.target.value)}>
            {SCOPES.map(([value, words]) => <option key={value} value={value}>{words}</option>)}
          </select>
        </label>
        <label className="field">
          <span>Expires after</span>
          <select className="input" value={days} onChange={(event) => setDays(Number(event.target.value))}>
            {LIFETIMES_DAYS.map((lifetime) => <option key={lifetime} value={lifetime}>{lifetime} days</option>)}
          </select>
        </label>
        <button type="submit" className="button button-main" disabled={create.isPending}>Create token</button>
      </form>
      {create.error && <p role="alert">The token was not made: {create.error.message}</p>}
      {create.data && <OnceShown what={`Token “${create.data.name}”`} secret={create.data.token} />}
      {create.data && whenMade?.(create.data.token)}
    </>
  );
}

function TokenTable({ tokens, revoke }: { tokens: Token[]; revoke: (id: string) => void }) {
  const now = new Date().toISOString();
  return (
    <div className="access-scroll" tabIndex={0} role="region" aria-label="Tokens, table">
      <table className="table">
        <thead><tr><th>Name</th><th>Scope</th><th>Expires</th><th>Last use</th><th>Created by</th><th aria-label="Actions" /></tr></thead>
        <tbody>
          {tokens.map((token) => (
            <tr key={token.id} data-testid="token">
              <th scope="row">{token.name}</th>
              <td>{token.scope}</td>
              <td>{token.expires <= now ? `expired ${token.expires.slice(0, 10)}` : token.expires.slice(0, 10)}</td>
              <td>{token.last_used ? `${token.last_used.slice(0, 16).replace("T", " ")} UTC` : "never"}</td>
              <td>{token.made_by || "this machine"}</td>
              <td className="number"><button type="button" className="link-button" aria-label={`Revoke ${token.name}`} onClick={() => revoke(token.id)}>Revoke</button></td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
