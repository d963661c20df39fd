/** Mantine theme: neutral ink for controls, because hue is kept for the kind of trouble. */
import { createTheme, type MantineColorsTuple } from "@mantine/core";

const ink: MantineColorsTuple = [
  "#f6f7f9", "#e9ecf1", "#d3d8e0", "#b4bcc9", "#97a1b1", "#6b7280", "#4b5563", "#333c49", "#1f2630", "#12161c",
];

export const theme = createTheme({
  primaryColor: "ink",
  primaryShade: { light: 8, dark: 1 },
  autoContrast: true,
  colors: { ink },
  fontFamily: "var(--font)",
  fontFamilyMonospace: "var(--mono)",
  fontSizes: { xs: "12px", sm: "13px", md: "14px", lg: "16px", xl: "20px" },
  defaultRadius: 6,
  cursorType: "pointer",
});

/** The nonce the server wrote into the page: without it the browser refuses Mantine's style tag. */
export function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? "";
}
