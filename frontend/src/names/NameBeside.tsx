/** The name of an address, to stand beside it; nothing where nobody is known. */
import type { Named } from "./nameTable";
import "./names.css";

export function NameBeside({ named }: { named: Named | null }) {
  if (named === null) return null;
  return <span className="address-name" title={`${named.name} (${named.source})`} data-testid="address-name">{named.name}</span>;
}
