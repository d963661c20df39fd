import { THEME_WORDS, useTheme, type Theme } from "../theme/useTheme";

const NEXT: Record<Theme, Theme> = { auto: "light", light: "dark", dark: "contrast", contrast: "auto" };
const SIGNS: Record<Theme, string> = { auto: "◐", light: "○", dark: "●", contrast: "◉" };

export function ThemeSwitch() {
  const { theme, setTheme } = useTheme();
  return (
    <button
      type="button" className="plain-button" data-testid="theme-switch" aria-label={`Theme: ${THEME_WORDS[theme]}`}
      title={`Theme: ${THEME_WORDS[theme]}. Press for ${THEME_WORDS[NEXT[theme]]}.`} onClick={() => setTheme(NEXT[theme])}
    >
      <span aria-hidden="true">{SIGNS[theme]}</span>
    </button>
  );
}
