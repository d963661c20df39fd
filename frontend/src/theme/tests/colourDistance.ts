/** Contrast (WCAG 2), colour-blindness (Machado, Oliveira, Fernandes 2009, severity 1) and distance (CIEDE2000, Sharma 2005). */

export type Rgb = [number, number, number];

function rgbOf(hex: string): Rgb {
  const full = hex.length === 4 ? `#${[...hex.slice(1)].map((digit) => digit + digit).join("")}` : hex;
  return [1, 3, 5].map((at) => parseInt(full.slice(at, at + 2), 16) / 255) as Rgb;
}

const linear = (value: number): number => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
const unlinear = (value: number): number => {
  const held = Math.min(Math.max(value, 0), 1);
  return held <= 0.0031308 ? 12.92 * held : 1.055 * held ** (1 / 2.4) - 0.055;
};

export function contrast(a: string, b: string): number {
  const light = (hex: string) => {
    const [r, g, b_] = rgbOf(hex).map(linear) as Rgb;
    return 0.2126 * r + 0.7152 * g + 0.0722 * b_;
  };
  const [high, low] = [light(a), light(b)].sort((x, y) => y - x) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

export type Vision = "normal" | "protan" | "deutan" | "tritan";
export const VISIONS: Vision[] = ["normal", "protan", "deutan", "tritan"];

const MACHADO: Record<Exclude<Vision, "normal">, [Rgb, Rgb, Rgb]> = {
  protan: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deutan: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  tritan: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
};

function seen(rgb: Rgb, vision: Vision): Rgb {
  if (vision === "normal") return rgb;
  const own = rgb.map(linear) as Rgb;
  return MACHADO[vision].map((row) => unlinear(row[0] * own[0] + row[1] * own[1] + row[2] * own[2])) as Rgb;
}

/** CIE Lab under D65. */
function lab(rgb: Rgb): Rgb {
  const [r, g, b] = rgb.map(linear) as Rgb;
  const white = [0.95047, 1, 1.08883];
  const f = (value: number) => (value > 216 / 24389 ? Math.cbrt(value) : ((24389 / 27) * value + 16) / 116);
  const [x, y, z] = [0.4124564 * r + 0.3575761 * g + 0.1804375 * b, 0.2126729 * r + 0.7151522 * g + 0.072175 * b, 0.0193339 * r + 0.119192 * g + 0.9503041 * b]
    .map((value, at) => f(value / (white[at] ?? 1))) as Rgb;
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

const rad = (degrees: number): number => (degrees * Math.PI) / 180;
const hue = (a: number, b: number): number => (a === 0 && b === 0 ? 0 : ((Math.atan2(b, a) * 180) / Math.PI + 360) % 360);
const POWER = 25 ** 7;

/** CIEDE2000 of two Lab colours. */
export function ciede2000([l1, a1, b1]: Rgb, [l2, a2, b2]: Rgb): number {
  const mean = (Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2;
  const g = 0.5 * (1 - Math.sqrt(mean ** 7 / (mean ** 7 + POWER)));
  const [p1, p2] = [a1 * (1 + g), a2 * (1 + g)];
  const [c1, c2, h1, h2] = [Math.hypot(p1, b1), Math.hypot(p2, b2), hue(p1, b1), hue(p2, b2)];
  const grey = c1 * c2 === 0;
  const turn = grey ? 0 : ((h2 - h1 + 540) % 360) - 180;
  const dh = 2 * Math.sqrt(c1 * c2) * Math.sin(rad(turn / 2));
  const [l, c] = [(l1 + l2) / 2, (c1 + c2) / 2];
  const h = grey ? h1 + h2 : Math.abs(h1 - h2) <= 180 ? (h1 + h2) / 2 : (h1 + h2 + (h1 + h2 < 360 ? 360 : -360)) / 2;
  const t = 1 - 0.17 * Math.cos(rad(h - 30)) + 0.24 * Math.cos(rad(2 * h)) + 0.32 * Math.cos(rad(3 * h + 6)) - 0.2 * Math.cos(rad(4 * h - 63));
  const sl = 1 + (0.015 * (l - 50) ** 2) / Math.sqrt(20 + (l - 50) ** 2);
  const [sc, sh] = [1 + 0.045 * c, 1 + 0.015 * c * t];
  const twist = -Math.sin(rad(60 * Math.exp(-(((h - 275) / 25) ** 2)))) * 2 * Math.sqrt(c ** 7 / (c ** 7 + POWER));
  return Math.sqrt(((l2 - l1) / sl) ** 2 + ((c2 - c1) / sc) ** 2 + (dh / sh) ** 2 + twist * ((c2 - c1) / sc) * (dh / sh));
}

export const distance = (a: string, b: string, vision: Vision): number => ciede2000(lab(seen(rgbOf(a), vision)), lab(seen(rgbOf(b), vision)));
