/** The shapes of the marks, drawn once for chips, tables and print. Shape repeats what the hue says. */
import type { ReactElement } from "react";

export type RoleName = "loss" | "stall" | "burst" | "collision" | "ok" | "neutral";

const SHAPES: Record<RoleName, ReactElement> = {
  loss: <path d="M3 3l8 8M11 3l-8 8" fill="none" stroke="currentColor" strokeWidth="2.6" />,
  stall: <path d="M1 3h12v8H1z M3 11l4-8M7 11l4-8" fill="none" stroke="currentColor" strokeWidth="1.6" />,
  burst: <path d="M2 12V3h10v9" fill="none" stroke="currentColor" strokeWidth="2.4" />,
  collision: <path d="M7 1l6 6-6 6-6-6z" fill="currentColor" />,
  ok: <path d="M2 2h10v10H2z" fill="currentColor" />,
  neutral: <circle cx="7" cy="7" r="4" fill="currentColor" />,
};

const WORDS: Record<RoleName, string> = {
  loss: "Loss",
  stall: "Stall",
  burst: "Burst",
  collision: "Collision",
  ok: "As expected",
  neutral: "Note",
};

export function roleWord(role: RoleName): string {
  return WORDS[role];
}

export function RoleGlyph({ role, size = 14 }: { role: RoleName; size?: number }) {
  return (
    <svg viewBox="0 0 14 14" width={size} height={size} aria-hidden="true" className={`glyph glyph-${role}`}>
      {SHAPES[role]}
    </svg>
  );
}
