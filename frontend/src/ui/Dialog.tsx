/** A modal sheet on the browser's own dialog element: focus trap and Escape come with it. */
import { useEffect, useRef, type ReactNode } from "react";

import "./dialog.css";

export function Dialog({ title, onClose, children }: { title: string; onClose: () => void; children: ReactNode }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog ref={dialog} className="dialog" aria-label={title} onCancel={onClose}>
      <header>
        <h2>{title}</h2>
        <button type="button" className="plain-button" aria-label="Close" onClick={onClose}>
          ✕
        </button>
      </header>
      <div className="dialog-body">{children}</div>
    </dialog>
  );
}
