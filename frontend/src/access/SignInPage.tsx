/** Name and password, or the way to the identity provider. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";

import { ask } from "../api/http";
import { useAddress } from "../ui/RouteLink";
import { useTitle } from "../ui/useTitle";
import { refusedWords, SIGN_IN, WHO, type Who } from "./who";
import "./access.css";

export function SignInPage({ who }: { who: Who }) {
  useTitle("Sign in");
  const refused = refusedWords(useAddress().parameters.refused);
  return (
    <main id="main" className="page sign-in" tabIndex={-1} data-testid="sign-in">
      <div className="card panel">
        <h1><img src="/icon.svg" alt="" width={22} height={22} /> Stallscope</h1>
        {refused && <p role="alert">{refused}</p>}
        {who.provider && <ProviderButton provider={who.provider} />}
        {who.provider && who.password && <p className="sign-in-or dim">or with a password</p>}
        {who.password && <PasswordForm />}
        <p className="dim">A share link needs no sign-in: open the complete link, with the part after #.</p>
      </div>
    </main>
  );
}

function PasswordForm() {
  const queries = useQueryClient();
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const signIn = useMutation({
    mutationFn: () => ask<Who>(SIGN_IN, { method: "POST", json: { name, password } }),
    onSuccess: (who) => {
      queries.setQueryData(WHO, who);
      void queries.invalidateQueries({ predicate: (query) => query.queryKey !== WHO });
    },
  });
  function submit(event: FormEvent) {
    event.preventDefault();
    signIn.mutate();
  }
  return (
    <form onSubmit={submit}>
      <label className="field">
        <span>Name</span>
        <input className="input" name="username" autoComplete="username" autoFocus required value={name} onChange={(event) => setName(event.target.value)} />
      </label>
      <label className="field">
        <span>Password</span>
        <input className="input" name="password" type="password" autoComplete="current-password" required value={password} onChange={(event) => setPassword(event.target.value)} />
      </label>
      {signIn.error && <p role="alert">{signIn.error.message}</p>}
      <button type="submit" className="button button-main" disabled={signIn.isPending}>Sign in</button>
    </form>
  );
}

function ProviderButton({ provider }: { provider: string }) {
  const { path, parameters } = useAddress();
  const begin = useMutation({
    mutationFn: () => {
      const json = { return_to: parameters.refused ? path : path + window.location.search };
      return ask<{ address: string }>(`${SIGN_IN}/provider`, { method: "POST", json });
    },
    onSuccess: ({ address }) => window.location.assign(address),
  });
  return (
    <>
      {begin.error && <p role="alert">{begin.error.message}</p>}
      <button type="button" className="button button-main" disabled={begin.isPending || begin.isSuccess} onClick={() => begin.mutate()}>
        Sign in with {provider}
      </button>
    </>
  );
}
