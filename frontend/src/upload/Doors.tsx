/** The three ways in: the demo, one's own files, and how to get some. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { ask } from "../api/http";
import { askAgain } from "../api/refetch";
import type { Demo, Investigation, Page } from "../api/types";
import { RouteLink, useGo } from "../ui/RouteLink";
import { FilePicker } from "./FilePicker";
import { PasteSheet } from "./PasteSheet";
import { useUploads } from "./UploadsProvider";

export function Doors() {
  return (
    <div className="doors">
      <DemoDoor />
      <FilesDoor />
      <CaptureDoor />
    </div>
  );
}

function useDemos() {
  return useQuery({
    queryKey: ["demo"],
    staleTime: Infinity,
    queryFn: async ({ signal }) => {
      const answer = await ask<Demo[] | Page<Demo>>("/api/v1/demo", { signal });
      return Array.isArray(answer) ? answer : answer.items;
    },
  });
}

function DemoDoor() {
  const go = useGo();
  const queries = useQueryClient();
  const demos = useDemos();
  const open = useMutation({
    mutationFn: (name: string) => ask<Investigation>("/api/v1/demo", { method: "POST", json: { name } }),
    onSuccess: (investigation) => {
      void askAgain(queries, { queryKey: ["investigations"] });
      go(`/i/${investigation.id}`);
    },
  });
  return (
    <section className="card door" aria-label="Open the demo">
      <h2>Open the demo</h2>
      <p>Real captures of a real incident, analyzed live.</p>
      <div className="door-actions">
        {demos.data?.map((demo, at) => (
          <button
            key={demo.name}
            type="button"
            className={at === 0 ? "button button-main" : "button"}
            disabled={open.isPending}
            data-testid={`demo-${demo.name}`}
            onClick={() => open.mutate(demo.name)}
          >
            {(demo.symptom || demo.title).replace(/\.$/, "")}
          </button>
        ))}
      </div>
      {demos.data?.length === 0 && <p>This installation has no demonstration.</p>}
      {(open.error ?? demos.error) && <p role="alert">{(open.error ?? demos.error)?.message}</p>}
    </section>
  );
}

function FilesDoor() {
  const go = useGo();
  const { send } = useUploads();
  const [pasting, setPasting] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  async function pick(files: File[]) {
    if (!files.length) return;
    try {
      go(`/i/${await send(files, null)}/files`);
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error));
    }
  }
  return (
    <section className="card door" aria-label="Drop files or paste a dump">
      <h2>Drop files · paste a dump</h2>
      <p>On any page. Captures of all vantage points of the path, and output of conntrack, iptables-save, ipvsadm, sysctl.</p>
      <div className="door-actions">
        <FilePicker label="Choose files" onPick={(files) => void pick(files)} />
        <button type="button" className="button" onClick={() => setPasting(true)}>
          Paste as text <span className="dim">Ctrl V</span>
        </button>
      </div>
      {failure && <p role="alert">{failure}</p>}
      {pasting && <PasteSheet text="" onClose={() => setPasting(false)} />}
    </section>
  );
}

function CaptureDoor() {
  return (
    <section className="card door" aria-label="What to capture">
      <h2>What to capture</h2>
      <p>Five questions give one script for the node: it captures the whole path and packs a bundle to drop here.</p>
      <div className="door-actions">
        <RouteLink className="button" href="/capture">
          Create the script
        </RouteLink>
      </div>
    </section>
  );
}
