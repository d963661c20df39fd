import { useWho } from "../access/who";
import { useSource } from "../api/source";

/** Whether the reader may write notes and take them back. */
export function useMayWrite(): boolean {
  const source = useSource();
  const who = useWho(!source.readOnly).data;
  return !source.readOnly && (who?.may.includes("upload") ?? false);
}
