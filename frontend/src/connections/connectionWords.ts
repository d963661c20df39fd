/** How a connection is said in words. */
import type { Connection } from "../api/types";
import { grouped } from "../format/quantity";

export const endpoint = (address: string, port: number): string =>
  address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;

/** The tuple after translation, or nothing where none was seen. */
export function translated(connection: Connection): string {
  const parts: string[] = [];
  if (connection.nat_client !== null && connection.nat_client_port !== null) {
    parts.push(endpoint(connection.nat_client, connection.nat_client_port));
  }
  if (connection.nat_server !== null && connection.nat_server_port !== null) {
    const server = endpoint(connection.nat_server, connection.nat_server_port);
    if (server !== endpoint(connection.server, connection.server_port)) parts.push(`→ ${server}`);
  }
  return parts.join(" ");
}

/** Whatever is neither open nor waiting was turned away. */
const OUTCOME_SIGNS: Partial<Record<Connection["outcome"], string>> = { established: "✓", unanswered: "…", partial: "–" };
export const outcomeSign = (outcome: Connection["outcome"]): string => OUTCOME_SIGNS[outcome] ?? "⊘";

/** "0.52", "1,032.4": milliseconds with as many digits as they are worth. */
export function milliseconds(value: number | null): string {
  if (value === null) return "–";
  const digits = value >= 100 ? 1 : value >= 1 ? 2 : 3;
  return grouped(value, digits);
}

/** "veth1e2feb89" from "three-interfaces.pcapng#0", by the report's lanes. */
export function placeName(vantage: string, lanes: readonly { id: string; name: string }[]): string {
  return lanes.find((lane) => lane.id === vantage)?.name ?? vantage;
}
