/** Notes by people: read, written, taken back. Links show them where their maker wanted it. */
import { useMutation, useQuery, useQueryClient, type UseQueryResult } from "@tanstack/react-query";

import { ask } from "./http";
import { askAgain } from "./refetch";
import type { components } from "./schema";
import { useSource } from "./source";
import type { Page } from "./types";

export type Note = components["schemas"]["Note"];
export type NoteOptions = Partial<components["schemas"]["NoteOptions"]> & { text: string };

/** All notes, the oldest first; behind a link, where it shows them. */
export function useNotes(): UseQueryResult<Note[]> {
  const source = useSource();
  return useQuery({
    queryKey: [source.key, "notes"],
    enabled: source.notes,
    queryFn: async ({ signal }) => (await ask<Page<Note>>(`${source.api}/notes`, { headers: source.headers, signal })).items,
  });
}

export function useWriteNote(onWritten: (note: Note) => void) {
  const source = useSource();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (options: NoteOptions) => ask<Note>(`${source.api}/notes`, { method: "POST", json: options }),
    onSuccess: async (note) => {
      await askAgain(queries, { queryKey: [source.key, "notes"] });
      onWritten(note);
    },
  });
}

export function useDeleteNote() {
  const source = useSource();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => ask(`${source.api}/notes/${id}`, { method: "DELETE" }),
    onSuccess: () => askAgain(queries, { queryKey: [source.key, "notes"] }),
  });
}
