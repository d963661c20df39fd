/** The title of an investigation as a field: Enter keeps it, Escape leaves it as it was. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { ask } from "../api/http";
import { askAgain } from "../api/refetch";
import type { Investigation } from "../api/types";

export function Rename({ investigation, onDone }: { investigation: Pick<Investigation, "id" | "label">; onDone: () => void }) {
  const queries = useQueryClient();
  const [label, setLabel] = useState(investigation.label);
  const rename = useMutation({
    mutationFn: () => ask(`/api/v1/investigations/${investigation.id}`, { method: "PATCH", json: { label } }),
    onSuccess: () => {
      void askAgain(queries, {});
      onDone();
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (label.trim()) rename.mutate();
      }}
    >
      <input
        className="input"
        aria-label="New title"
        autoFocus
        value={label}
        onChange={(event) => setLabel(event.target.value)}
        onKeyDown={(event) => event.key === "Escape" && onDone()}
      />
      {rename.error && <span role="alert">{rename.error.message}</span>}
    </form>
  );
}
