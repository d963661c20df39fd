/** What narrows this page beyond window, filter and selection: chips that clear it. */
import { useReadTime } from "../format/clock";
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
  const read = useReadTime(t0);
  const { range, lanes, pinned } = state;
  return (
    <>
      {state.folded && <Chip text={foldedWords} name="folds" clear={() => change({ folded: false })} />}
      {range !== null && (
        <Chip text={`tables: ${read(range.fromNs, 6)} + ${stretch(range.durationNs)}`} name="range" clear={() => change({ range: null })} />
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
