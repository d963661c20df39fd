/** What narrows this page beyond window, filter and selection: chips that clear it. */
import { wallClock } from "../format/instant";
import { stretch } from "../format/offset";
import type { ViewState } from "./urlState";

interface TableChipsProps {
  state: ViewState;
  t0: string;
  change: (changes: Partial<ViewState>) => void;
  /** What is folded in view, in words. */
  foldedWords: string;
}

export function TableChips({ state, t0, change, foldedWords }: TableChipsProps) {
  const { range, lanes, pinned } = state;
  return (
    <>
      {state.folded && <Chip text={foldedWords} name="folds" clear={() => change({ folded: false })} />}
      {range !== null && (
        <Chip text={`tables: ${wallClock(t0, range.fromNs)} + ${stretch(range.durationNs)}`} name="range" clear={() => change({ range: null })} />
      )}
      {lanes.length > 0 && <Chip text={`${lanes.length} lanes chosen`} name="lanes" clear={() => change({ lanes: [] })} />}
      {pinned.length > 0 && <Chip text={`${pinned.length} pinned`} name="pins" clear={() => change({ pinned: [] })} />}
    </>
  );
}

function Chip({ text, clear, name }: { text: string; clear: () => void; name: string }) {
  return (
    <span className="timeline-chip" data-chip={name}>
      {text}
      <button type="button" onClick={clear} aria-label={`Clear ${name}`}>✕</button>
    </span>
  );
}
