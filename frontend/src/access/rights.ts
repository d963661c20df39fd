/** What the reader may do to an investigation; the server decides it again. */
import { useInvestigation } from "../api/queries";
import type { Investigation, Right } from "../api/types";

const WORDS: Record<Right, string> = {
  change: "Only its owner or an admin may change this investigation.",
  share: "Only its owner or an admin may share this investigation.",
  delete: "Only its owner or an admin may delete this.",
  download: "Only its owner or an admin may download bytes of a file that holds credentials.",
};

/** Attributes of a button: disabled, with the reason, for those who may not. */
export function whereAllowed(investigation: Investigation | undefined, right: Right): { disabled: boolean; title?: string } {
  if (investigation === undefined) return { disabled: true };
  return investigation.may.includes(right) ? { disabled: false } : { disabled: true, title: WORDS[right] };
}

export function useAllowed(right: Right): { disabled: boolean; title?: string } {
  return whereAllowed(useInvestigation().data, right);
}
