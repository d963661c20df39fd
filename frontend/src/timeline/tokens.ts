/** The colours a canvas needs, read from the page's tokens after the theme attribute is written. */
import type { Role } from "../api/types";

export interface Tokens {
  surface: string;
  text: string;
  textDim: string;
  line: string;
  roles: Record<Role, string>;
  roleTexts: Record<Role, string>;
}

const ROLES: Role[] = ["loss", "stall", "burst", "collision", "ok", "neutral"];

export function readTokens(element: Element): Tokens {
  const style = getComputedStyle(element);
  return tokensOf((name) => style.getPropertyValue(name).trim());
}

/** `token` gives the value of a custom property, as `--surface`. */
export function tokensOf(token: (name: string) => string): Tokens {
  const byRole = (suffix: string): Record<Role, string> =>
    Object.fromEntries(ROLES.map((role) => [role, token(`--role-${role}${suffix}`)])) as Record<Role, string>;
  return {
    surface: token("--surface"),
    text: token("--text"),
    textDim: token("--text-dim"),
    line: token("--line"),
    roles: byRole(""),
    roleTexts: byRole("-text"),
  };
}
