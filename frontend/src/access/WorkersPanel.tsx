/** Workers and what confines the processes that read uploads: for admins. */
import { useQuery } from "@tanstack/react-query";

import { ask } from "../api/http";
import type { components } from "../api/schema";
import { Region } from "../ui/Region";
import { useWho } from "./who";
import "./access.css";

type Worker = components["schemas"]["Worker"];

export function WorkersPanel() {
  const who = useWho();
  if (!who.data?.may.includes("admin")) return null;
  return <Workers />;
}

function Workers() {
  const workers = useQuery({
    queryKey: ["workers"],
    queryFn: async ({ signal }) => (await ask<{ items: Worker[] }>("/api/v1/workers", { signal })).items,
  });
  return (
    <section className="card panel" aria-labelledby="workers-title">
      <h2 id="workers-title">Workers</h2>
      <p className="dim">Uploads are read in processes without network and without access to other files, as far as the machine allows this confinement.</p>
      <Region label="Workers" query={workers} empty={(found) => (found.length ? null : "No worker is running: files are not analyzed.")}>
        {(found) => (
          <table className="table">
            <thead><tr><th>Machine</th><th>Confinement</th></tr></thead>
            <tbody>
              {found.map((worker, number) => (
                <tr key={number} data-testid="worker">
                  <td className="mono">{worker.machine}</td>
                  <td>{confinementWords(worker.not_confined_by)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </Region>
    </section>
  );
}

/** What holds, or which parts the machine does not offer. */
export function confinementWords(missing: readonly string[]): string {
  return missing.length ? `Not available: ${missing.join(", ")}` : "Complete";
}
