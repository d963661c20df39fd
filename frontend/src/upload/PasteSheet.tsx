/** A pasted dump: what it is recognized as, when and where it was taken, and which investigation gets it. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";

import { useTaken } from "../access/rights";
import { ask } from "../api/http";
import { askAgain } from "../api/refetch";
import type { EvidenceFile, Recognition } from "../api/types";
import { count, plural } from "../format/quantity";
import { Dialog } from "../ui/Dialog";
import { useAddress, useGo } from "../ui/RouteLink";
import { createInvestigation, useUploads } from "./UploadsProvider";

const LINES_SHOWN = 5;
const CHARACTERS_SHOWN = 80;

interface PastedDump {
  text: string;
  captured_at: string;
  host: string;
}

/** The time as typed, taken as UTC where it names no zone; null when none was given. */
export function utc(typed: string): string | null {
  const text = typed.trim().replace(" ", "T");
  if (!text) return null;
  return /(Z|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text}Z`;
}

async function sendText(dump: PastedDump, kind: string | null, investigation: string | null): Promise<string> {
  const id = investigation ?? (await createInvestigation(kind ?? "Pasted text")).id;
  await ask<EvidenceFile>(`/api/v1/investigations/${id}/texts`, {
    method: "POST",
    json: { text: dump.text, captured_at: utc(dump.captured_at), host: dump.host || null },
  });
  return id;
}

export function PasteSheet({ text: pasted, onClose }: { text: string; onClose: () => void }) {
  const { path } = useAddress();
  const go = useGo();
  const queries = useQueryClient();
  const investigation = /^\/i\/([^/]+)/.exec(path)?.[1] ?? null;
  const [dump, setDump] = useState<PastedDump>({ text: pasted, captured_at: "", host: "" });
  const recognition = useRecognition(dump.text);
  const { give } = useUploads();
  const store = useMutation({
    mutationFn: () => sendText(dump, recognition.data?.kind || null, investigation),
    onSuccess: (id) => {
      give(id);
      void askAgain(queries, {});
      onClose();
      go(`/i/${id}/files`);
    },
  });
  const taken = useTaken(investigation);
  const change = (changes: Partial<PastedDump>) => setDump({ ...dump, ...changes });
  return (
    <Dialog title="Paste as text" onClose={onClose}>
      <Recognized recognition={recognition.data} error={recognition.error} />
      <textarea
        className="input"
        rows={10}
        aria-label="Text of the dump"
        value={dump.text}
        onChange={(event) => change({ text: event.target.value })}
      />
      <div className="paste-fields">
        <label className="field">
          <span>Taken at (UTC)</span>
          <input
            className="input"
            placeholder="2026-11-21T14:05:00Z"
            value={dump.captured_at}
            onChange={(event) => change({ captured_at: event.target.value })}
          />
        </label>
        <label className="field">
          <span>On host</span>
          <input className="input" placeholder="node-7" value={dump.host} onChange={(event) => change({ host: event.target.value })} />
        </label>
      </div>
      <p className="dim">A dump without a time is of limited use: enter the time if the text does not state it.</p>
      {store.error && <p role="alert">Nothing was stored: {store.error.message}</p>}
      {taken.title && <p>{taken.title}</p>}
      <button
        type="button"
        className="button button-main"
        disabled={taken.disabled || store.isPending || !dump.text.trim()}
        onClick={() => store.mutate()}
      >
        {investigation ? "Add to this investigation" : "New investigation with this"}
      </button>
    </Dialog>
  );
}

function useRecognition(text: string) {
  const settled = useDeferredValue(text);
  return useQuery({
    queryKey: ["recognition", settled],
    enabled: settled.trim() !== "",
    queryFn: ({ signal }) =>
      ask<Recognition>("/api/v1/recognitions", { method: "POST", json: { text: settled }, signal }),
  });
}

function Recognized({ recognition, error }: { recognition: Recognition | undefined; error: Error | null }) {
  if (error) return <p role="alert">It could not be recognized: {error.message}</p>;
  if (!recognition) return <p className="dim">Checking …</p>;
  const strange = recognition.lines_not_understood ?? [];
  return (
    <div data-testid="recognition">
      {recognition.kind ? (
        <>
          Recognized: <strong>{recognition.kind}</strong>
        </>
      ) : (
        <strong>Not recognized</strong>
      )}
      , {plural(recognition.lines, "line")}
      {strange.length > 0 && (
        <>
          {" "}
          · {count(strange.length)} not understood
          <ol className="strange-lines" data-testid="strange-lines">
            {strange.slice(0, LINES_SHOWN).map((line) => (
              <li key={line.n}>
                line {line.n} <code className="mono">{line.text.slice(0, CHARACTERS_SHOWN)}</code>
              </li>
            ))}
          </ol>
        </>
      )}
    </div>
  );
}
