/** Uploads under way, shared by the drop layer, the New page and the Files page. */
import { useQueryClient } from "@tanstack/react-query";
import { createContext, useCallback, useContext, useEffect, useMemo, useRef, useState, type ReactNode } from "react";

import { ask } from "../api/http";
import { isLost, lookAgain, onReachability } from "../api/reachability";
import { askAgain } from "../api/refetch";
import type { Investigation } from "../api/types";
import { storedGiven, storeGiven, type Given } from "./landing";
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
  /** Sends files to an investigation, making one where `investigation` is null, called `name` or after them. Answers its id. */
  send: (files: File[], investigation: string | null, name?: string | null) => Promise<string>;
  /** Investigations that got files here and whose answer has not been shown. */
  given: Given[];
  /** Something else than an upload was given. */
  give: (investigation: string) => void;
  forget: (investigation: string) => void;
  /** Why the files of the last drop were not accepted, none of them. */
  refusal: string | null;
  refuse: (reason: string | null) => void;
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

/** "node-7.pcap" or "node-7.pcap and 3 more", which the server replaces by what was found (backend/storage/default_names.py). */
export function labelFor(names: string[]): string {
  const [first = "New investigation", ...rest] = names;
  return rest.length ? `${first} and ${rest.length} more` : first;
}

/** Bundles are named by whoever packed them: "node-7.tar.gz" gives "node-7". */
export function bundleName(names: string[]): string | null {
  const [only, ...others] = names;
  return (others.length === 0 && /^(.+?)\.(tar(\.(gz|xz|zst|bz2))?|tgz|zip)$/i.exec(only ?? "")?.[1]) || null;
}

export function createInvestigation(label: string): Promise<Investigation> {
  return ask<Investigation>("/api/v1/investigations", { method: "POST", json: { label, source: "browser" } });
}

export function UploadsProvider({ children }: { children: ReactNode }) {
  const queries = useQueryClient();
  const [uploads, setUploads] = useState<UploadState[]>([]);
  const [refusal, refuse] = useState<string | null>(null);
  const running = useRef(new Map<string, RunningUpload>());
  const { given, give, forget } = useGiven();

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
          give(investigation);
          refresh();
        },
        onRefused: (reason) => {
          change(key, { status: "refused", reason });
          refresh();
        },
      });
      running.current.set(key, upload);
    },
    [change, give, queries],
  );

  useWaitingForServer(uploads, running, change);

  const value = useMemo<Uploads>(
    () => ({
      uploads,
      given, give, forget, refusal, refuse,
      send: async (files, investigation, name = null) => {
        const names = files.map((file) => file.name);
        const id = investigation ?? (await createInvestigation(name ?? bundleName(names) ?? labelFor(names))).id;
        refuse(null);
        give(id, investigation === null);
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
    [uploads, sendOne, change, queries, given, give, forget, refusal],
  );
  return <UploadsContext.Provider value={value}>{children}</UploadsContext.Provider>;
}

/** Remembers which investigations got something here, until their answer has been shown. */
function useGiven() {
  const [given, setGiven] = useState(storedGiven);
  useEffect(() => storeGiven(given), [given]);
  const give = useCallback((id: string, fresh?: boolean) => {
    setGiven((all) => {
      const known = all.find((one) => one.id === id);
      return [...all.filter((one) => one !== known), { id, since_ms: Date.now(), fresh: fresh ?? known?.fresh ?? false }];
    });
  }, []);
  const forget = useCallback((id: string) => setGiven((all) => all.filter((one) => one.id !== id)), []);
  return { given, give, forget };
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
