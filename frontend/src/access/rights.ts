/** What the reader may do to an investigation; the server decides it again. */
import { useInvestigation, useOwnInvestigation } from "../api/queries";
import type { Investigation, Right } from "../api/types";
import { isStranger, useWho } from "./who";

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

const NO_NEW = "Your role does not allow creating and uploading.";

/** Whether files and texts are taken, into an investigation or, where `id` is null, into a new one; not `wanted` on
 * pages that ask nobody who they are. */
export function useTaken(id: string | null, wanted = true): { disabled: boolean; title?: string } {
  const investigation = useOwnInvestigation(id).data;
  const who = useWho(wanted && id === null).data;
  if (id !== null) return whereAllowed(investigation, "change");
  if (who === undefined) return { disabled: true };
  if (isStranger(who)) return { disabled: true, title: "Sign in to upload." };
  return who.may.includes("upload") ? { disabled: false } : { disabled: true, title: NO_NEW };
}
