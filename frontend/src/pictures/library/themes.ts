/** The colors of both themes, read from the page's own style sheet. Pure. */
import css from "../../theme/tokens.css?raw";
import { tokensOf, type Tokens } from "../../timeline/tokens";

export type Theme = "light" | "dark";

/** Tokens of the theme without high contrast. */
export function tokensOfTheme(theme: Theme): Tokens {
  const start = css.indexOf(`[data-mantine-color-scheme="${theme}"] {`);
  const block = css.slice(start, css.indexOf("}", start));
  const values = new Map([...block.matchAll(/(--[\w-]+):\s*([^;]+);/g)].map(([, name = "", value = ""]) => [name, value.trim()]));
  return tokensOf((name) => values.get(name) ?? "");
}
