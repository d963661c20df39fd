/** The part of the address that holds the view. Kept readable: `~ , : /` are not escaped. */

function escape(text: string): string {
  return encodeURIComponent(text).replace(/%2C/g, ",").replace(/%3A/g, ":").replace(/%2F/g, "/");
}

export function parseSearch(search: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(search));
}

/** `?a=1&b=2`, or nothing when no parameter is set. */
export function stringifySearch(parameters: Record<string, unknown>): string {
  const set = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null && value !== "");
  return set.length ? "?" + set.map(([key, value]) => `${escape(key)}=${escape(String(value))}`).join("&") : "";
}
