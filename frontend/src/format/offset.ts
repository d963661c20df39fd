/** Nanoseconds after some zero, and stretches of them, with every digit the capture gave. */

export const NS_PER_S = 1_000_000_000;
export const NS_PER_MS = 1_000_000;
export const NS_PER_US = 1_000;

/** "+0.353498169 s": never rounded, a capture's own resolution decides what the zeros mean. */
export function offset(ns: number, digits = 9): string {
  const sign = ns < 0 ? "−" : "+";
  const size = Math.abs(Math.round(ns));
  const whole = Math.floor(size / NS_PER_S);
  const fraction = String(size % NS_PER_S).padStart(9, "0").slice(0, digits);
  return `${sign}${whole}${digits > 0 ? `.${fraction}` : ""} s`;
}

/** "1.025104 s", "2.121 µs", "42 µs": the unit that leaves at least one digit before the point. */
export function stretch(ns: number): string {
  const size = Math.abs(ns);
  if (size >= NS_PER_S) return `${digitsOf(ns / NS_PER_S, 6)} s`;
  if (size >= NS_PER_MS) return `${digitsOf(ns / NS_PER_MS, 3)} ms`;
  if (size >= NS_PER_US) return `${digitsOf(ns / NS_PER_US, 3)} µs`;
  return `${Math.round(ns)} ns`;
}

function digitsOf(value: number, digits: number): string {
  return value.toFixed(digits).replace(/\.?0+$/, "");
}
