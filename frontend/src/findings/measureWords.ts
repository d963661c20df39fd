/** What was measured, in words and units. The unit is the end of a measure's name: `retry_gap_median_s`. */
import { count } from "../format/quantity";

export interface Measured {
  name: string;
  value: string;
}

const UNITS: [ending: string, unit: string][] = [
  ["_per_second", "/s"], ["_per_s", "/s"], ["_percent", "%"], ["_bytes", "B"], ["_ratio", ""], ["_share", ""],
  ["_ppm", "ppm"], ["_ms", "ms"], ["_us", "µs"], ["_ns", "ns"], ["_s", "s"],
];
const DIGITS = 6;
const GROUPED = new Intl.NumberFormat("en-US", { maximumFractionDigits: DIGITS });

/** "retry gap median" and "s" of `retry_gap_median_s`. */
export function nameAndUnit(key: string): { name: string; unit: string } {
  const known = UNITS.find(([ending]) => key.endsWith(ending) && key.length > ending.length);
  const name = known ? key.slice(0, -known[0].length) : key;
  return { name: name.replaceAll("_", " "), unit: known?.[1] ?? "" };
}

/** A number with all the digits it was given, in groups of three. */
export function figure(value: number): string {
  return Number.isInteger(value) ? count(value) : GROUPED.format(value);
}

export function valueWords(value: unknown, unit: string): string {
  if (value === null || value === undefined || value === "") return "unknown";
  if (typeof value === "number") return unit ? `${figure(value)} ${unit}` : figure(value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.length ? value.map((item) => valueWords(item, unit)).join(", ") : "none";
  if (typeof value === "object") {
    const parts = Object.entries(value).map(([key, item]) => {
      const inner = nameAndUnit(key);
      return `${inner.name} ${valueWords(item, inner.unit || unit)}`;
    });
    return parts.join(", ") || "none";
  }
  return String(value);
}

export function measuresOf(measures: Record<string, unknown>): Measured[] {
  return Object.entries(measures).map(([key, value]) => {
    const { name, unit } = nameAndUnit(key);
    return { name, value: valueWords(value, unit) };
  });
}
