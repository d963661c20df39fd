/** The four themes: the two of Mantine, the system's choice between them, and high contrast on top of that choice. */
import { useMantineColorScheme } from "@mantine/core";
import { useCallback } from "react";

import { changeSettings, useSettings } from "../settings/settings";

export type Theme = "auto" | "light" | "dark" | "contrast";

export const THEME_WORDS: Record<Theme, string> = { auto: "System", light: "Light", dark: "Dark", contrast: "High contrast" };

export function useTheme(): { theme: Theme; setTheme: (theme: Theme) => void } {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const { highContrast } = useSettings();
  const setTheme = useCallback(
    (theme: Theme) => {
      changeSettings({ highContrast: theme === "contrast" });
      setColorScheme(theme === "contrast" ? "auto" : theme);
    },
    [setColorScheme],
  );
  return { theme: highContrast ? "contrast" : colorScheme, setTheme };
}
