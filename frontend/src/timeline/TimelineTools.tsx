/** Buttons of the timeline: what the keys do, for the mouse; the lanes to show; the filter. */
import { useEffect, useState } from "react";

import type { TimelineLane } from "../api/types";
import { READING_WORDS, type Reading } from "../format/clock";
import { showOverlay } from "../ui/overlays";
import type { LaneGrouping, ViewState } from "./urlState";

interface TimelineToolsProps {
  state: ViewState;
  lanes: readonly TimelineLane[];
  reading: Reading;
  guides: boolean;
  canWalk: boolean;
  change: (changes: Partial<ViewState>) => void;
  onAll: () => void;
  onReading: () => void;
  onGuides: () => void;
  onWalk: (step: 1 | -1) => void;
  onTable: () => void;
}

const GROUPING_WORDS: Record<LaneGrouping, string> = {
  capture: "by vantage point", connection: "by destination and outcome", pod: "by pod",
};

export function TimelineTools(props: TimelineToolsProps) {
  const { state, lanes, change } = props;
  const shown = (id: string): boolean => state.lanes.length === 0 || state.lanes.includes(id);
  function toggle(id: string) {
    const next = lanes.map((lane) => lane.id).filter((lane) => (lane === id ? !shown(lane) : shown(lane)));
    change({ lanes: next.length === lanes.length ? [] : next });
  }
  return (
    <div className="timeline-tools">
      <FilterField value={state.filter} commit={(filter) => change({ filter })} toggleOthers={(filter) => change({ filter, onlyMatching: !state.onlyMatching })} />
      {state.filter !== "" && (
        <button type="button" onClick={() => change({ onlyMatching: !state.onlyMatching })} aria-pressed={state.onlyMatching} title="Exclude marks: Shift + Enter in the filter">
          others: {state.onlyMatching ? "taken out" : "faded"}
        </button>
      )}
      <button type="button" onClick={() => props.onWalk(-1)} disabled={!props.canWalk} title="Previous instance [">◂</button>
      <button type="button" onClick={() => props.onWalk(1)} disabled={!props.canWalk} title="Next instance ]">▸</button>
      <button type="button" onClick={props.onAll} title="All data: 0">all</button>
      <button type="button" onClick={props.onReading} title="Zero of every time: R">time: {READING_WORDS[props.reading]}</button>
      <button type="button" onClick={props.onGuides} aria-pressed={props.guides} title="Guides: Shift G">guides</button>
      <button type="button" onClick={() => change({ folded: !state.folded })} aria-pressed={state.folded} title="Fold long stretches without marks: Z">fold</button>
      <details>
        <summary>lanes</summary>
        <div>
          <label className="timeline-grouping">
            lanes{" "}
            <select value={state.grouping} onChange={(event) => change({ grouping: event.target.value as LaneGrouping, lanes: [], pinned: [], moreLanes: false })}>
              {Object.entries(GROUPING_WORDS).map(([value, words]) => <option key={value} value={value}>{words}</option>)}
            </select>
          </label>
          {lanes.map((lane) => (
            <label key={lane.id}>
              <input type="checkbox" checked={shown(lane.id)} onChange={() => toggle(lane.id)} /> {lane.name}
            </label>
          ))}
        </div>
      </details>
      <button type="button" onClick={props.onTable} aria-pressed={state.asTable} title="Table instead of chart: T">table</button>
      <button type="button" onClick={() => showOverlay("keys")} title="Keys: ?">keys</button>
    </div>
  );
}

interface FilterFieldProps {
  value: string;
  commit: (filter: string) => void;
  toggleOthers: (filter: string) => void;
}

function FilterField({ value, commit, toggleOthers }: FilterFieldProps) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const send = () => {
    if (text.trim() !== value) commit(text.trim());
  };
  return (
    <input
      className="timeline-filter" type="search" aria-label="Filter marks and rows" placeholder="Filter  /"
      value={text} onChange={(event) => setText(event.target.value)} onBlur={send}
      onKeyDown={(event) => {
        if (event.key === "Enter" && event.shiftKey) toggleOthers(text.trim());
        else if (event.key === "Enter") send();
        if (event.key === "Escape") event.currentTarget.blur();
      }}
    />
  );
}
