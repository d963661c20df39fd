/** Where a connection was seen, as dots in the order of its path; ✖ where it should have been and was not. */
import type { Connection } from "../api/types";
import { placeName } from "./connectionWords";

export function SeenAt({ connection, lanes }: { connection: Connection; lanes: readonly { id: string; name: string }[] }) {
  const order = [...connection.seen_at, ...connection.missing_at.filter((id) => !connection.seen_at.includes(id))];
  const sorted = lanes.length > 0 ? order.sort((a, b) => indexIn(lanes, a) - indexIn(lanes, b)) : order;
  const words = sorted.map((id) => `${placeName(id, lanes)}: ${isMissing(connection, id) ? "first SYN absent" : "seen"}`).join(", ");
  return (
    <span className="seen-at" title={words} aria-label={words} role="img">
      {sorted.map((id) => (
        <span key={id} className={isMissing(connection, id) ? "role-loss" : undefined}>{isMissing(connection, id) ? "✖" : "●"}</span>
      ))}
    </span>
  );
}

const isMissing = (connection: Connection, id: string): boolean => connection.missing_at.includes(id);

function indexIn(lanes: readonly { id: string }[], id: string): number {
  const at = lanes.findIndex((lane) => lane.id === id);
  return at < 0 ? lanes.length : at;
}
