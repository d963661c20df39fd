/** Times to the nanosecond. Only here is BigInt used; everything else counts ns after t0 in plain numbers. */
import { clockText } from "./zone";

/** Wall clock, in the zone shown, of an instant `relative_ns` after `t0` (decimal string of epoch ns). */
export function wallClock(t0: string, relative_ns: number, digits = 6): string {
  const epoch = BigInt(t0) + BigInt(Math.round(relative_ns));
  const milliseconds = Number(epoch / 1_000_000n);
  const fraction = String(epoch % 1_000_000_000n).padStart(9, "0").slice(0, digits);
  const clock = clockText(milliseconds).slice(11, 19);
  return digits ? `${clock}.${fraction}` : clock;
}

/** RFC 3339 with nanoseconds to epoch ns; null if it is no such time. */
export function epochNs(time: string): bigint | null {
  const match = /^(.*?)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/.exec(time);
  if (!match) return null;
  const seconds = Date.parse(`${match[1]}${match[3]}`);
  if (Number.isNaN(seconds)) return null;
  return BigInt(seconds) * 1_000_000n + BigInt((match[2] ?? "").padEnd(9, "0"));
}
