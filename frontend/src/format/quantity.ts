/** Numbers with units, as people read them. */

/** "1,037.5": thousands apart. Written out, because the server's JavaScript engine has no `Intl`. */
export function grouped(value: number, digits = 0): string {
  const [whole = "", ...fraction] = value.toFixed(digits).split(".");
  return [whole.replace(/\B(?=(\d{3})+$)/g, ","), ...fraction].join(".");
}

export const count = (value: number): string => grouped(value);

/** "1 file", "3 files". */
export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

export function bytes(value: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let rest = value;
  let unit = 0;
  while (rest >= 1000 && unit < units.length - 1) {
    rest /= 1000;
    unit += 1;
  }
  return `${unit === 0 || rest >= 100 ? Math.round(rest) : rest.toFixed(1)} ${units[unit]}`;
}

/** Seconds with a unit that leaves two or three digits: "29.5 s", "13 ms", "2.1 µs". */
export function duration(seconds: number): string {
  const size = Math.abs(seconds);
  if (size === 0) return "0 s";
  if (size >= 1) {
    const digits = size >= 100 ? 0 : 1;
    return `${grouped(seconds, digits)} s`;
  }
  if (size >= 1e-3) return `${trim(seconds * 1e3)} ms`;
  if (size >= 1e-6) return `${trim(seconds * 1e6)} µs`;
  return `${Math.round(seconds * 1e9)} ns`;
}

function trim(value: number): string {
  return Math.abs(value) >= 10 ? value.toFixed(0) : value.toFixed(1);
}

/** "3 min ago", from an RFC 3339 time. */
export function ago(time: string, now: number = Date.now()): string {
  const seconds = Math.max(0, (now - Date.parse(time)) / 1000);
  if (seconds < 60) return "just now";
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`;
  return `${Math.floor(seconds / 86_400)} d ago`;
}

const OF_HUNDRED = 100;

const SHARE_LEAST = 0.1;
const TENTHS_BELOW = 10;

/** "4.8 %" and "72 %" of a ratio; "0 %" and "100 %" only of none and of all, as reports write it (backend/forensics/wording.py). */
export function percent(ratio: number): string {
  const share = ratio * OF_HUNDRED;
  if (share > 0 && share < SHARE_LEAST) return `less than ${SHARE_LEAST} %`;
  if (share < OF_HUNDRED && share > OF_HUNDRED - SHARE_LEAST) return `more than ${OF_HUNDRED - SHARE_LEAST} %`;
  const exact = (share > 0 && share < TENTHS_BELOW) || (share < OF_HUNDRED && share > OF_HUNDRED - TENTHS_BELOW);
  return `${share.toFixed(exact ? 1 : 0)} %`;
}
