/** Looks into single frames: asked once, then watched until they are done. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";

import { ask } from "./http";
import { useSource } from "./source";

export type LookQuestion =
  | { kind: "dissection"; file: string; frame: number }
  | { kind: "display-filter"; filter: string }
  | { kind: "carving"; filter?: string; look?: string; from_ns?: number; to_ns?: number; finding?: string; instance?: number; anonymise?: boolean }
  | { kind: "anonymising" };

export interface Look {
  id: string;
  kind: LookQuestion["kind"];
  state: "queued" | "running" | "done" | "failed" | "cancelled";
  packets: number;
  bytes: number;
  done: number;
  total: number;
  problem: string;
  at: number | null;
  length: number | null;
}

export interface TreeNode {
  name: string;
  text: string;
  begin: number;
  end: number;
  children: TreeNode[];
}

export interface Dissection {
  input: string;
  frame: number;
  by: "tshark" | "scapy";
  tree: TreeNode[];
  tree_cut: boolean;
  captured_bytes: number;
  original_bytes: number;
  hex: string;
  removed: [number, number][];
}

const WATCH_MS = 200;

export const isUnderWay = (look: Look): boolean => look.state === "queued" || look.state === "running";

/** The look of a question; null asks nothing. */
export function useLook(question: LookQuestion | null) {
  const source = useSource();
  const client = useQueryClient();
  const asked = useQuery<Look>({
    queryKey: [source.key, "look", question],
    enabled: question !== null && !source.readOnly,
    staleTime: Infinity,
    retry: false,
    queryFn: ({ signal }) => ask<Look>(`${source.api}/looks`, { method: "POST", json: question, headers: source.headers, signal }),
  });
  const id = asked.data?.id;
  const watched = useQuery<Look>({
    queryKey: [source.key, "look-state", id],
    enabled: asked.data !== undefined && isUnderWay(asked.data),
    refetchInterval: (query) => (query.state.data && !isUnderWay(query.state.data) ? false : WATCH_MS),
    queryFn: ({ signal }) => ask<Look>(`${source.api}/looks/${id}`, { headers: source.headers, signal }),
  });
  const again = useCallback(async () => {
    client.removeQueries({ queryKey: [source.key, "look-state", id] });
    await client.resetQueries({ queryKey: [source.key, "look", question] });
  }, [client, source.key, id, question]);
  const cancel = useCallback(async () => {
    await ask(`${source.api}/looks/${id}`, { method: "DELETE", headers: source.headers });
    await client.invalidateQueries({ queryKey: [source.key, "look-state", id] });
  }, [client, source, id]);
  return { look: watched.data ?? asked.data, error: asked.error ?? watched.error, again, cancel };
}

/** What is at `…/dissection` of a look that is done. */
export function useDissection(look: Look | undefined) {
  const source = useSource();
  return useQuery({
    queryKey: [source.key, "dissection", look?.id],
    enabled: look?.state === "done",
    staleTime: Infinity,
    queryFn: ({ signal }) => ask<Dissection>(`${source.api}/looks/${look?.id}/dissection`, { headers: source.headers, signal }),
  });
}
