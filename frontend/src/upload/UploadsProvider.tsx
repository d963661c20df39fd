/** Uploads under way, shared by the drop layer, the New page and the Files page. */
import { useQueryClient } from "@tanstack/react-query";
import { createContext, useCallback, useContext, useEffect, useMemo, useRef, useState, type ReactNode } from "react";

import { ask } from "../api/http";
import { isLost, lookAgain, onReachability } from "../api/reachability";
import { askAgain } from "../api/refetch";
import type { Investigation } from "../api/types";
import { startUpload, type RunningUpload } from "./tusUpload";

export interface UploadState {
  key: string;
  investigation: string;
  name: string;
  size_bytes: number;
  sent_bytes: number;
  /** Taken up again where an earlier attempt stopped. */
  resumedFrom_bytes: number;
  status: "sending" | "waiting" | "done" | "refused" | "stopped";
  /** Why the server did not take it. */
  reason: string | null;
}

interface Uploads {
  uploads: UploadState[];
  /** Sends files to an investigation, making one where `investigation` is null. Answers its id. */
  send: (files: File[], investigation: string | null) => Promise<string>;
  stop: (key: string) => void;
  /** Goes on with one that was paused. */
  goOn: (key: string) => void;
  dismiss: (key: string) => void;
}

const UploadsContext = createContext<Uploads | null>(null);

export function useUploads(): Uploads {
  const uploads = useContext(UploadsContext);
  if (!uploads) throw new Error("useUploads needs an UploadsProvider above it");
  return uploads;
}

/** "node-7.pcap" or "node-7.pcap and 3 more". */
export function labelFor(names: string[]): string {
  const [first = "New investigation", ...rest] = names;
  return rest.length ? `${first} and ${rest.length} more` : first;
}

export function createInvestigation(label: string): Promise<Investigation> {
  return ask<Investigation>("/api/v1/investigations", { method: "POST", json: { label, source: "browser" } });
}

export function UploadsProvider({ children }: { children: ReactNode }) {
  const queries = useQueryClient();
  const [uploads, setUploads] = useState<UploadState[]>([]);
  const running = useRef(new Map<string, RunningUpload>());

  const change = useCallback((key: string, changes: Partial<UploadState>) => {
    setUploads((all) => all.map((upload) => (upload.key === key ? { ...upload, ...changes } : upload)));
  }, []);

  const sendOne = useCallback(
    (file: File, investigation: string) => {
      const key = `${investigation}:${file.name}:${file.size}:${crypto.randomUUID()}`;
      const first: UploadState = {
        key, investigation, name: file.name, size_bytes: file.size, sent_bytes: 0, resumedFrom_bytes: 0,
        status: "sending", reason: null,
      };
      setUploads((all) => [...all.filter((other) => !isSame(other, first)), first]);
      const refresh = () => {
        void askAgain(queries, { queryKey: [`own:${investigation}`] });
        void askAgain(queries, { queryKey: ["investigations"] });
      };
      const upload = startUpload(file, `/api/v1/investigations/${investigation}/uploads`, {
        onProgress: (sent_bytes) => change(key, { sent_bytes, status: "sending" }),
        onResume: (resumedFrom_bytes) => change(key, { resumedFrom_bytes }),
        onWaiting: (unanswered) => {
          change(key, { status: "waiting" });
          if (unanswered) void lookAgain();
        },
        onDone: () => {
          change(key, { status: "done", sent_bytes: file.size });
          refresh();
        },
        onRefused: (reason) => {
          change(key, { status: "refused", reason });
          refresh();
        },
      });
      running.current.set(key, upload);
    },
    [change, queries],
  );

  useWaitingForServer(uploads, running, change);

  const value = useMemo<Uploads>(
    () => ({
      uploads,
      send: async (files, investigation) => {
        const id = investigation ?? (await createInvestigation(labelFor(files.map((file) => file.name)))).id;
        void askAgain(queries, { queryKey: ["investigations"] });
        files.forEach((file) => sendOne(file, id));
        return id;
      },
      stop: (key) => {
        running.current.get(key)?.stop();
        change(key, { status: "stopped" });
      },
      goOn: (key) => {
        running.current.get(key)?.goOn();
        change(key, { status: "sending" });
      },
      dismiss: (key) => setUploads((all) => all.filter((upload) => upload.key !== key)),
    }),
    [uploads, sendOne, change, queries],
  );
  return <UploadsContext.Provider value={value}>{children}</UploadsContext.Provider>;
}

/** While the server does not answer nothing is sent; when it does, every upload goes on where it stopped. */
function useWaitingForServer(
  uploads: UploadState[], running: { current: Map<string, RunningUpload> }, change: (key: string, changes: Partial<UploadState>) => void,
) {
  const latest = useRef(uploads);
  useEffect(() => {
    latest.current = uploads;
  });
  useEffect(
    () => onReachability(() => {
      for (const { key, status } of latest.current) {
        if (isLost() && (status === "sending" || status === "waiting")) {
          running.current.get(key)?.stop();
          change(key, { status: "waiting" });
        } else if (!isLost() && status === "waiting") {
          running.current.get(key)?.goOn();
          change(key, { status: "sending" });
        }
      }
    }),
    [change, running],
  );
}

function isSame(one: UploadState, other: UploadState): boolean {
  return one.investigation === other.investigation && one.name === other.name;
}
