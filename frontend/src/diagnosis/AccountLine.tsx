/** Whether the account closes: every connection that waited long is explained by a cause, or listed. Where none waited, the trouble is
 * of another unit (lookups, requests, probes), and nothing is shown. */
import type { Account } from "../api/types";
import { EvidenceLinks } from "../findings/EvidenceLinks";
import { count, duration, plural } from "../format/quantity";

export function AccountLine({ account }: { account: Account | null | undefined }) {
  if (!account?.delayed) return null;
  const limit = `${account.threshold_s} s`;
  return (
    <section className="card panel" aria-label="Delay attribution" data-testid="account">
      <header className="panel-head">
        <h2>Delay attribution</h2>
      </header>
      <p className="account-sum">
        <strong>
          {plural(account.delayed, "connection")} waited {limit} or more
        </strong>
        : {count(account.delayed - account.unexplained)} explained, {count(account.unexplained)} not.{" "}
        <span className="dim">{duration(account.time_lost_s)} lost in all</span>
      </p>
      <Shares account={account} />
    </section>
  );
}

function Shares({ account }: { account: Account }) {
  // Reports of older versions do not split them.
  const { unexplained_by: parts = [] } = account;
  return (
    <table className="table account">
      <tbody>
        {account.explained.map((line) => (
          <tr key={line.cause}>
            <td className="number">{count(line.count)}</td>
            <td>{line.title || line.cause.replaceAll("-", " ")}</td>
            <td className="number">{duration(line.time_lost_s)}</td>
          </tr>
        ))}
        {account.unexplained > 0 && (
          <tr data-testid="unexplained">
            <td className="number">{count(account.unexplained)}</td>
            <td>
              Not explained <EvidenceLinks evidence={account.unexplained_evidence} />
              {parts.length > 0 && (
                <ul className="account-rest" data-testid="unexplained-by">
                  {parts.map((line) => (
                    <li key={line.cause}>{count(line.count)} {line.title}</li>
                  ))}
                </ul>
              )}
            </td>
            <td className="number">{duration(account.unexplained_time_lost_s)}</td>
          </tr>
        )}
      </tbody>
    </table>
  );
}
