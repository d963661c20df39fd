/** The colours of `tokens.css`: told apart by every eye, and seen on their surface. */
import { readFileSync } from "node:fs";
import path from "node:path";

import { expect, test } from "vitest";

import { ciede2000, contrast, distance, VISIONS, type Rgb } from "./colourDistance";

const CSS = readFileSync(path.resolve(import.meta.dirname, "../tokens.css"), "utf8");
const ROLES = ["loss", "stall", "burst", "collision", "ok", "neutral"];
const LEAST_SHAPE = 3;
const LEAST_TEXT = 4.5;
const LEAST_DISTANCE = 15;

/** Tokens of the first block with this selector; later ones of `over` win. */
function tokens(...selectors: string[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const selector of selectors) {
    const block = CSS.slice(CSS.indexOf(`${selector} {`)).split("}")[0] ?? "";
    for (const match of block.matchAll(/--([\w-]+):\s*(#[0-9a-f]{3,6})/gi)) found[match[1] ?? ""] = match[2] ?? "";
  }
  return found;
}

const THEMES: [string, Record<string, string>][] = [
  ["light", tokens('[data-mantine-color-scheme="light"]')],
  ["dark", tokens('[data-mantine-color-scheme="dark"]')],
  ["high contrast, light", tokens('[data-mantine-color-scheme="light"]', "[data-high-contrast]")],
  ["high contrast, dark", tokens('[data-mantine-color-scheme="dark"]', "[data-high-contrast]", '[data-high-contrast][data-mantine-color-scheme="dark"]')],
];

test("the distance is that of Sharma's test data", () => {
  const pairs: [Rgb, Rgb, number][] = [
    [[50, 2.6772, -79.7751], [50, 0, -82.7485], 2.0425], [[50, 2.5, 0], [50, 0, -2.5], 4.3065], [[50, 2.5, 0], [73, 25, -18], 27.1492],
    [[50, -0.001, 2.49], [50, 0.0011, -2.49], 4.7461], [[22.7233, 20.0904, -46.694], [23.0331, 14.973, -42.5619], 2.0373], [[2.0776, 0.0795, -1.135], [0.9033, -0.0636, -0.5514], 0.9082],
  ];
  for (const [a, b, expected] of pairs) expect(ciede2000(a, b)).toBeCloseTo(expected, 4);
});

test("contrast goes from 1 to 21", () => {
  expect(contrast("#fff", "#ffffff")).toBeCloseTo(1);
  expect(contrast("#000000", "#ffffff")).toBeCloseTo(21);
});

test.each(THEMES)("%s: shapes have 3:1 and words 4.5:1 on every surface they stand on", (_name, theme) => {
  for (const role of ROLES) {
    expect(contrast(theme[`role-${role}`] ?? "", theme.surface ?? ""), role).toBeGreaterThanOrEqual(LEAST_SHAPE);
    expect(contrast(theme[`role-${role}-text`] ?? "", theme.surface ?? ""), `${role} words`).toBeGreaterThanOrEqual(LEAST_TEXT);
  }
  for (const surface of ["surface", "surface-page", "surface-sunken", "surface-raised", "highlight"]) {
    for (const ink of ["text", "text-dim"]) expect(contrast(theme[ink] ?? "", theme[surface] ?? ""), `${ink} on ${surface}`).toBeGreaterThanOrEqual(LEAST_TEXT);
  }
});

test.each(THEMES.slice(0, 2))("%s: roles are told apart by every kind of eye", (_name, theme) => {
  const near: string[] = [];
  for (const vision of VISIONS) {
    ROLES.forEach((a, at) => ROLES.slice(at + 1).forEach((b) => {
      const apart = distance(theme[`role-${a}`] ?? "", theme[`role-${b}`] ?? "", vision);
      if (apart < LEAST_DISTANCE) near.push(`${a} and ${b} for ${vision}: ${apart.toFixed(1)}`);
    }));
  }
  expect(near).toEqual([]);
});
