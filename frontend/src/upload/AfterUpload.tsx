/** Takes whoever gave files to the verdict when it is there; who went elsewhere meanwhile is shown the way. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";

import { ask, Problem } from "../api/http";
import { askAgain } from "../api/refetch";
import type { Investigation } from "../api/types";
import { RouteLink, useAddress, useGo } from "../ui/RouteLink";
import { landingOf, type Given } from "./landing";
import { useUploads } from "./UploadsProvider";

const AGAIN_MS = 2000;
const NOT_FOUND = 404;

export function AfterUpload() {
  const { given } = useUploads();
  return given.map((each) => <One key={each.id} given={each} />);
}

function One({ given }: { given: Given }) {
  const { path } = useAddress();
  const go = useGo();
  const { uploads, forget } = useUploads();
  const discard = useDiscard(given.id);
  const [finished, setFinished] = useState<Investigation | null>(null);
  const { data, dataUpdatedAt, error } = useQuery({
    queryKey: [`own:${given.id}`, "investigation"],
    queryFn: ({ signal }) => ask<Investigation>(`/api/v1/investigations/${given.id}`, { signal }),
    refetchInterval: finished ? false : AGAIN_MS,
  });
  const gone = error instanceof Problem && error.status === NOT_FOUND;
  const own = uploads.filter((upload) => upload.investigation === given.id);
  const landing = landingOf(path, given, own, data?.analysis, dataUpdatedAt);
  useEffect(() => {
    if (landing === "over" || landing === "go" || gone) forget(given.id);
    if (landing === "go") go(`/i/${given.id}`);
    if (landing === "discard") discard(own[0]?.reason ?? null);
    if (landing === "banner" && data) setFinished(data);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- once for each turn of events
  }, [landing, gone]);
  if (!finished || landing !== "banner") return null;
  return (
    <div role="status" className="connection-banner answer-banner" data-testid="answer-banner">
      <span>
        <strong>{finished.label}:</strong> {finished.verdict?.statement ?? "no cause was found."}
      </span>
      <RouteLink href={`/i/${given.id}`} onClick={() => forget(given.id)}>Show the verdict</RouteLink>
      <button type="button" className="plain-button" aria-label="Close" onClick={() => forget(given.id)}>✕</button>
    </div>
  );
}

/** Deletes an investigation that was made for files none of which was accepted, and says why they were not. */
function useDiscard(id: string): (reason: string | null) => void {
  const { path } = useAddress();
  const go = useGo();
  const queries = useQueryClient();
  const { forget, refuse } = useUploads();
  const { mutate } = useMutation({
    mutationFn: () => ask(`/api/v1/investigations/${id}`, { method: "DELETE" }),
    onSuccess: () => void askAgain(queries, { queryKey: ["investigations"] }),
  });
  return (reason) => {
    forget(id);
    refuse(reason);
    if (path.startsWith(`/i/${id}`)) go("/", { replace: true });
    mutate();
  };
}
