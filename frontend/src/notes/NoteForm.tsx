/** A small form for a note: at a time, or against a diagnosis. */
import { useState } from "react";

import { useWriteNote, type Note, type NoteOptions } from "../api/notes";
import { useWho } from "../access/who";
import { Dialog } from "../ui/Dialog";
import "./notes.css";

const LONGEST = 2000;
const LONGEST_NAME = 120;

/** React's own autoFocus comes too early: the dialog looks for the attribute when it opens. */
const focusFirst = (element: HTMLElement | null): void => element?.setAttribute("autofocus", "");

interface NoteFormProps {
  title: string;
  /** What the text is: "Note" or "Reason". */
  label: string;
  /** What the note is about, in words. */
  about: string;
  options: Omit<NoteOptions, "text">;
  onWritten?: (note: Note) => void;
  onClose: () => void;
}

export function NoteForm({ title, label, about, options, onWritten, onClose }: NoteFormProps) {
  const [text, setText] = useState("");
  const [author, setAuthor] = useState("");
  const member = useWho().data?.name ?? "";
  const write = useWriteNote((note) => {
    onWritten?.(note);
    onClose();
  });
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        className="note-form" data-testid="note-form"
        onSubmit={(event) => {
          event.preventDefault();
          write.mutate({ ...options, text, author });
        }}
      >
        <p className="dim">{about}</p>
        <label>
          {label}
          <textarea ref={focusFirst} className="input" required rows={4} maxLength={LONGEST} value={text} onChange={(event) => setText(event.target.value)} />
        </label>
        {member === "" && (
          <label>
            Your name (optional)
            <input className="input" maxLength={LONGEST_NAME} value={author} onChange={(event) => setAuthor(event.target.value)} />
          </label>
        )}
        {write.error && <p role="alert">The note was not stored: {write.error.message}</p>}
        <button type="submit" className="button button-main" disabled={write.isPending || text.trim() === ""}>Store</button>
      </form>
    </Dialog>
  );
}
