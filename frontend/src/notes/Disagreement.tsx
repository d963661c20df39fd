/** Around a diagnosis: who does not agree and why. Supporting evidence stays, only greyed. */
import { useState, type ReactNode } from "react";

import { useDeleteNote, useNotes, type Note } from "../api/notes";
import { useSource } from "../api/source";
import type { Diagnosis } from "../api/types";
import { useMayWrite } from "./mayWrite";
import { NoteForm } from "./NoteForm";
import { disagreementsWith, signature } from "./noteWords";
import "./notes.css";

/** Who does not agree, the oldest first: with any, the statement is struck through. */
export function useDisagreements(diagnosis: Diagnosis): Note[] {
  return disagreementsWith(diagnosis, useNotes().data ?? []);
}

export function Disputable({ diagnosis, children }: { diagnosis: Diagnosis; children: ReactNode }) {
  const source = useSource();
  const [asking, setAsking] = useState(false);
  const remove = useDeleteNote();
  const mayWrite = useMayWrite();
  const against = useDisagreements(diagnosis);
  if (!source.notes) return children;
  const finding = diagnosis.findings[0] ?? "";
  return (
    <>
      <div className="dispute" data-testid="dispute">
        {against.map((note) => (
          <p key={note.id} data-note={note.id}>
            <strong>{signature(note)}, rejects the diagnosis:</strong> <span className="note-text">{note.text}</span>{" "}
            {mayWrite && <button type="button" className="link-button" onClick={() => remove.mutate(note.id)}>Undo</button>}
          </p>
        ))}
        {remove.error && <p role="alert">The rejection could not be undone: {remove.error.message}</p>}
        {mayWrite && <button type="button" className="button" onClick={() => setAsking(true)}>Reject diagnosis</button>}
      </div>
      <div className={against.length > 0 ? "disputed" : undefined} data-testid="disputable" data-disputed={against.length > 0}>{children}</div>
      {asking && (
        <NoteForm
          title="Reject diagnosis" label="Reason" about={`“${diagnosis.statement}” The evidence stays; your reason is shown with it.`}
          options={{ kind: "disagreement", cause: diagnosis.cause, diagnosis: diagnosis.id, finding }} onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}
