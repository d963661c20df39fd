/** Said once at the top when the server or its database does not answer; what the page shows stays, and everything goes on by itself. */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";

import { lookAgain, markLost, useMissing, type Missing } from "../api/reachability";

const AGAIN_MS = 2000;
const SAID: Record<Missing, string> = {
  nothing: "",
  server: "Stallscope does not respond.",
  database: "The database does not respond; work continues when it is back.",
};

export function ConnectionBanner() {
  const missing = useMissing();
  const lost = missing !== "nothing";
  const queries = useQueryClient();
  const before = useRef(false);
  useEffect(() => {
    window.addEventListener("offline", markLost);
    const online = () => void lookAgain();
    window.addEventListener("online", online);
    return () => {
      window.removeEventListener("offline", markLost);
      window.removeEventListener("online", online);
    };
  }, []);
  useEffect(() => {
    if (before.current && !lost) void queries.invalidateQueries();
    before.current = lost;
    if (!lost) return undefined;
    const timer = window.setInterval(() => void lookAgain(), AGAIN_MS);
    return () => window.clearInterval(timer);
  }, [lost, queries]);
  if (!lost) return null;
  return (
    <div role="alert" className="connection-banner" data-testid="connection-lost">
      <strong>{SAID[missing]}</strong> What is on the page stays. Uploads wait and go on by themselves, and the page asks every 2 s.{" "}
      <button type="button" className="link-button" onClick={() => void lookAgain()}>Retry now</button>
    </div>
  );
}
