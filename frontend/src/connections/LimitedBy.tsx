/** What limited the connection, as shares of its time. */
import type { Connection } from "../api/types";
import { percent } from "../format/quantity";

const LIMITS = [
  ["handshake_ratio", "handshake", "from the first SYN to the client's ACK"],
  ["network_ratio", "network", "data in flight: round trips, congestion window, losses"],
  ["receiver_window_ratio", "receiver window", "the sender had filled the receiver window"],
  ["application_ratio", "application", "nothing in flight: the sender's application had nothing to send"],
] as const;

export function LimitedBy({ connection }: { connection: Connection }) {
  const known = LIMITS.flatMap(([key, name, why]) => {
    const share = connection[key];
    return share ? [{ key, name, why, share }] : [];
  });
  if (known.length === 0) return null;
  return (
    <section aria-label="Limited by" data-testid="limited-by">
      <strong>Limited by</strong>
      <div className="limited-bar" aria-hidden="true">
        {known.map((each) => <i key={each.name} className={each.key} style={{ width: percent(each.share).replace(" ", "") }} />)}
      </div>
      <ul className="limited-legend">
        {known.map((each) => <li key={each.name} title={each.why}><i aria-hidden="true" className={each.key} />{each.name} {percent(each.share)}</li>)}
      </ul>
    </section>
  );
}
