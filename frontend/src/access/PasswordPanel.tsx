/** One's own password, for members who have one here. */
import { useMutation } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";

import { ask } from "../api/http";
import { SIGN_IN, useWho } from "./who";
import "./access.css";

const SHORTEST = 8;

export function PasswordPanel() {
  const who = useWho().data;
  return who?.may_change_password ? <PasswordForm name={who.name} /> : null;
}

function PasswordForm({ name }: { name: string }) {
  const [old, setOld] = useState("");
  const [next, setNext] = useState("");
  const [again, setAgain] = useState("");
  const change = useMutation({
    mutationFn: () => ask(`${SIGN_IN}/password`, { method: "PUT", json: { old, new: next } }),
    onSuccess: () => {
      setOld("");
      setNext("");
      setAgain("");
    },
  });
  const differs = again !== "" && again !== next;
  function submit(event: FormEvent) {
    event.preventDefault();
    change.mutate();
  }
  return (
    <section className="card panel members" aria-labelledby="own-password" data-testid="own-password">
      <h2 id="own-password">Your password</h2>
      <p className="dim">{SHORTEST} characters or more. Every other browser in which you are signed in is signed out.</p>
      <form className="access-form" onSubmit={submit}>
        <input type="hidden" name="username" autoComplete="username" value={name} readOnly />
        <Field label="Old password" autoComplete="current-password" value={old} set={setOld} />
        <Field label="New password" autoComplete="new-password" value={next} set={setNext} shortest={SHORTEST} />
        <Field label="Repeat new password" autoComplete="new-password" value={again} set={setAgain} />
        <button type="submit" className="button" disabled={change.isPending || !old || !next || next !== again}>Change password</button>
      </form>
      {differs && <p role="status">The two new passwords differ.</p>}
      {change.error && <p role="alert">{change.error.message}</p>}
      {change.isSuccess && <p role="status">The password was changed.</p>}
    </section>
  );
}

interface FieldProps {
  label: string;
  autoComplete: string;
  value: string;
  set: (value: string) => void;
  shortest?: number;
}

function Field({ label, autoComplete, value, set, shortest }: FieldProps) {
  return (
    <label className="field">
      <span>{label}</span>
      <input
        className="input" type="password" required autoComplete={autoComplete} minLength={shortest} maxLength={1024} value={value}
        onChange={(event) => set(event.target.value)}
      />
    </label>
  );
}
