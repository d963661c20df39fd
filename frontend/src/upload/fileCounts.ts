/** The files of a running analysis in one line, and how far they are. */
import type { EvidenceFile, Progress } from "../api/types";
import { count, plural } from "../format/quantity";

type HasStatus = Pick<EvidenceFile, "status">;

/** From this stage on all files share one. */
export const FIRST_COMMON_STAGE = 4;

const isRead = (file: HasStatus): boolean => file.status === "decoded";
const isUnreadable = (file: HasStatus): boolean => file.status === "failed" || file.status === "refused";

/** Nothing more will be read of it. */
export const isSettled = (file: HasStatus): boolean => isRead(file) || isUnreadable(file);

/** The stage that the work has come to: of files that are read side by side, the furthest one's. */
export function furthestStage(progress: Pick<Progress, "stage" | "files">): Progress["stage"] {
  const { stage, files } = progress;
  if (!stage || stage.number >= FIRST_COMMON_STAGE) return stage;
  return files.reduce((furthest, file) => (file.stage && file.stage.number > furthest.number ? file.stage : furthest), stage);
}

const WORDS: [string, (file: HasStatus) => boolean][] = [
  ["read", isRead],
  ["being read", (file) => file.status === "decoding"],
  ["uploading", (file) => file.status === "uploading"],
  ["not readable", isUnreadable],
];

/** "16 files: 12 read, 4 waiting". */
export function fileCountWords(files: readonly HasStatus[]): string {
  const parts = WORDS.map(([word, is]) => [files.filter(is).length, word] as const);
  const waiting = files.length - parts.reduce((sum, [number]) => sum + number, 0);
  const said = [...parts, [waiting, "waiting"] as const].filter(([number]) => number > 0);
  return `${plural(files.length, "file")}: ${said.map(([number, word]) => `${count(number)} ${word}`).join(", ")}`;
}
