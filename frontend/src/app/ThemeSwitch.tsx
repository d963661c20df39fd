import { useMantineColorScheme, type MantineColorScheme } from "@mantine/core";

const NEXT: Record<MantineColorScheme, MantineColorScheme> = { auto: "light", light: "dark", dark: "auto" };
const WORDS: Record<MantineColorScheme, string> = { auto: "System", light: "Light", dark: "Dark" };
const SIGNS: Record<MantineColorScheme, string> = { auto: "◐", light: "○", dark: "●" };

export function ThemeSwitch() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <button
      type="button"
      className="plain-button"
      data-testid="theme-switch"
      title={`Theme: ${WORDS[colorScheme]}. Press for ${WORDS[NEXT[colorScheme]]}.`}
      onClick={() => setColorScheme(NEXT[colorScheme])}
    >
      <span aria-hidden="true">{SIGNS[colorScheme]}</span> {WORDS[colorScheme]}
    </button>
  );
}
