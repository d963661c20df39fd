/** Files of bundles, or given by themselves, that are no evidence: which, and why. */
import type { Report } from "../api/types";
import { count, plural } from "../format/quantity";

const SHOWN = 200;

export function NotUsed({ report }: { report: Report | null | undefined }) {
  const files = report?.not_used ?? [];
  if (!report || !files.length) return null;
  const more = report.not_used_total - Math.min(files.length, SHOWN);
  return (
    <details className="card not-used" data-testid="not-used">
      <summary>{plural(report.not_used_total, "file")} not used</summary>
      <table className="table">
        <thead>
          <tr>
            <th>File</th>
            <th>Why</th>
          </tr>
        </thead>
        <tbody>
          {files.slice(0, SHOWN).map((file) => (
            <tr key={`${file.name} ${file.why}`}>
              <td className="mono">{file.name}</td>
              <td>{file.why}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {more > 0 && <p className="dim">and {count(more)} more</p>}
    </details>
  );
}
