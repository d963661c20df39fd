/** The parts of a packet filter that all have to hold. Pure. */

const TOKEN = /"(?:[^"\\]|\\.)*"|&&|\|\||[(){}]|[^\s"&|(){}]+|\s+|./g;

/** `a && (b || c)` as `a`, `(b || c)`; one part where parts are alternatives. The words are left as they are. */
export function conjuncts(filter: string): string[] {
  const parts = [""];
  let depth = 0;
  for (const [token] of filter.matchAll(TOKEN)) {
    if (token === "(" || token === "{") depth += 1;
    if (token === ")" || token === "}") depth -= 1;
    const word = token.toLowerCase();
    if (depth === 0 && (word === "||" || word === "or")) return [filter.trim()];
    if (depth === 0 && (word === "&&" || word === "and")) parts.push("");
    else parts[parts.length - 1] += token;
  }
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

/** The filter without its `at`-th part. */
export function withoutPart(parts: readonly string[], at: number): string {
  return parts.filter((_, each) => each !== at).join(" && ");
}

/** What a part asks about, where no other part asks about the same: `ip.dst` of `ip.dst == 10.0.0.1`. */
export function partName(parts: readonly string[], at: number): string {
  const field = (part: string | undefined) => /^!?\(?\s*([A-Za-z][\w.]*)/.exec(part ?? "")?.[1] ?? null;
  const own = field(parts[at]);
  return own !== null && parts.filter((part) => field(part) === own).length === 1 ? own : (parts[at] ?? "");
}
