/** Looks into single frames: asked once, then watched until they are done. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";

import { ask } from "./http";
import type { components } from "./schema";
import { useSource } from "./source";

type Schemas = components["schemas"];
/** What a look is asked with; what is left out of it has its default. */
export type LookQuestion =
  | Schemas["AskDissection"]
  | Schemas["AskDisplayFilter"]
  | (Pick<Schemas["AskCarving"], "kind"> & Partial<Schemas["AskCarving"]>)
  | Schemas["AskAnonymising"]
  | (Pick<Schemas["AskWireshark"], "kind"> & Partial<Schemas["AskWireshark"]>);
export type Look = Schemas["Look"];
export type TreeNode = Schemas["TreeNode"];
export type Dissection = Schemas["Dissection"];

/** Packets in Wireshark's words beside ours. */
export type WiresharkView = Schemas["WiresharkView"];
export type ComparedPacket = Schemas["ComparedPacket"];

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

/** What is at `…/wireshark` of a job that is done. */
export function useWiresharkView(look: Look | undefined) {
  const source = useSource();
  return useQuery({
    queryKey: [source.key, "wireshark", look?.id],
    enabled: look?.state === "done",
    staleTime: Infinity,
    queryFn: ({ signal }) => ask<WiresharkView>(`${source.api}/looks/${look?.id}/wireshark`, { headers: source.headers, signal }),
  });
}
