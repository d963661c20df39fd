/** Progress where it is seen from another tab: in the title and as a ring in the icon. */
import { setTitlePrefix } from "../ui/useTitle";

const ICON = "/icon.svg";
const PERCENT = 100;
const RADIUS = 12;

function ring(ratio: number): string {
  const round = 2 * Math.PI * RADIUS;
  const arc = `<circle cx="16" cy="16" r="${RADIUS}" fill="none" stroke="#f67e69" stroke-width="6" stroke-dasharray="${(ratio * round).toFixed(1)} ${round.toFixed(1)}" transform="rotate(-90 16 16)"/>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="${RADIUS}" fill="#12161c" stroke="#6b7280" stroke-width="6"/>${arc}</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

/** Null: nothing runs. */
export function showProgressInTab(ratio: number | null): void {
  setTitlePrefix(ratio === null ? "" : `${Math.floor(ratio * PERCENT)} %`);
  const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]");
  if (icon) icon.href = ratio === null ? ICON : ring(ratio);
}
