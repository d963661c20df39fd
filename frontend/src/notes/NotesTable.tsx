/** Notes as rows: when, who, what; with a jump to the time and a way to take one back. */
import { useDeleteNote, type Note } from "../api/notes";
import type { TimelineLane } from "../api/types";
import { offset, stretch } from "../format/offset";
import { dateWords } from "../format/zone";
import { authorOf } from "./noteWords";
import "./notes.css";

interface NotesTableProps {
  notes: readonly Note[];
  lanes?: readonly TimelineLane[];
  /** Left out where there is nothing to jump in. */
  onJump?: (note: Note) => void;
  canDelete?: boolean;
}

export function NotesTable({ notes, lanes = [], onJump, canDelete = false }: NotesTableProps) {
  const hasActions = onJump !== undefined || canDelete;
  const remove = useDeleteNote();
  if (notes.length === 0) return <p className="dim">No notes. Press N, or drag over the lanes and choose “Add note”.</p>;
  const lane = (id: string) => lanes.find((each) => each.id === id)?.name ?? id;
  return (
    <div className="facts-scroll" tabIndex={0} role="region" aria-label={`Notes, ${notes.length} rows`}>
      {remove.error && <p role="alert">The note was not deleted: {remove.error.message}</p>}
      <table className="facts notes-table" data-testid="notes-table">
        <thead>
          <tr><th>time (s)</th><th>lasts</th><th>about</th><th>note</th><th>author</th><th>written</th>{hasActions && <th aria-label="actions" />}</tr>
        </thead>
        <tbody>
          {notes.map((note) => (
            <tr key={note.id} data-note={note.id}>
              <td className="mono">{note.from === null ? "" : offset(note.from)}</td>
              <td className="mono">{note.from !== null && note.to !== null && note.to > note.from ? stretch(note.to - note.from) : ""}</td>
              <td>{note.kind === "disagreement" ? `rejects ${note.diagnosis || note.cause}` : [lane(note.lane), note.finding].filter(Boolean).join(", ")}</td>
              <td className="note-text">{note.text}</td>
              <td>{authorOf(note)}</td>
              <td>{dateWords(note.created, 5)}</td>
              {hasActions && (
                <td className="note-actions">
                  {onJump && note.from !== null && <button type="button" className="link-button" onClick={() => onJump(note)}>Jump</button>}
                  {canDelete && note.may_delete && <button type="button" className="link-button" onClick={() => remove.mutate(note.id)}>Delete</button>}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
