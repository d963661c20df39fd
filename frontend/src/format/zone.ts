/** The time zone that clock times are shown in: UTC unless the reader chose the one of this machine. */

export type Zone = "utc" | "local";

let shown: Zone = "utc";

export function showZone(zone: Zone): void {
  shown = zone;
}

const MINUTES_PER_HOUR = 60;
const MS_PER_MINUTE = 60_000;

/** East of Greenwich counts up, unlike in `Date`. */
function offsetMinutes(epoch_ms: number): number {
  return shown === "utc" ? 0 : -new Date(epoch_ms).getTimezoneOffset();
}

/** "2026-11-21T14:05:00.123" in the zone shown. */
export function clockText(epoch_ms: number): string {
  return new Date(epoch_ms + offsetMinutes(epoch_ms) * MS_PER_MINUTE).toISOString().slice(0, 23);
}

/** "UTC" or "UTC+02:00": stands behind every clock time. */
export function zoneWord(epoch_ms: number = Date.now()): string {
  const minutes = offsetMinutes(epoch_ms);
  if (minutes === 0) return "UTC";
  const size = Math.abs(minutes);
  const two = (value: number) => String(Math.floor(value)).padStart(2, "0");
  return `UTC${minutes < 0 ? "−" : "+"}${two(size / MINUTES_PER_HOUR)}:${two(size % MINUTES_PER_HOUR)}`;
}

/** An RFC 3339 time as people read it: "2026-11-21 14:05 UTC". `digits` are those of the clock, 5 or 8. */
export function dateWords(time: string, digits: 5 | 8 = 5): string {
  const epoch_ms = Date.parse(time);
  if (Number.isNaN(epoch_ms)) return time;
  const text = clockText(epoch_ms);
  return `${text.slice(0, 10)} ${text.slice(11, 11 + digits)} ${zoneWord(epoch_ms)}`;
}
