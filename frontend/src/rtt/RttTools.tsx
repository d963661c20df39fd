/** Chips and switches above the chart, and its keys. */
import type { RoundTripChart } from "../api/roundTrips";
import { count } from "../format/quantity";
import { showOverlay } from "../ui/overlays";
import { symbolOf } from "./buildOption";
import type { ScaleKind } from "./scale";
import { pairWords, placeWords } from "./words";

const SIGNS: Record<string, string> = { circle: "●", triangle: "▲", rect: "■", diamond: "◆", arrow: "➤", roundRect: "▬" };

interface RttToolsProps {
  chart: RoundTripChart;
  kinds: readonly string[];
  scale: ScaleKind;
  guides: boolean;
  asTable: boolean;
  canWalk: boolean;
  setKinds: (kinds: string[]) => void;
  setSeries: (ids: string[]) => void;
  setScale: (kind: ScaleKind) => void;
  onGuides: () => void;
  onTable: () => void;
  onAll: () => void;
  onWalk: (step: 1 | -1) => void;
}

export function RttTools(props: RttToolsProps) {
  const { chart, kinds, scale } = props;
  const flip = (kind: string) => props.setKinds(kinds.includes(kind) ? kinds.filter((each) => each !== kind) : [...kinds, kind]);
  return (
    <div className="timeline-tools rtt-tools">
      <span role="group" aria-label="Request kinds">
        {chart.kinds.map((kind, n) => (
          <button key={kind} type="button" aria-pressed={kinds.includes(kind)} onClick={() => flip(kind)}>
            <span aria-hidden="true">{SIGNS[symbolOf(n)]}</span> {kind}
          </button>
        ))}
      </span>
      <details>
        <summary>Series {count(chart.series.filter((series) => series.shown).length)} of {count(chart.series.length)}</summary>
        <SeriesChoice {...props} />
      </details>
      <span role="group" aria-label="Scale of round trips">
        <button type="button" aria-pressed={scale === "linear"} onClick={() => props.setScale("linear")}>linear</button>
        <button type="button" aria-pressed={scale === "log"} onClick={() => props.setScale("log")}>log</button>
      </span>
      <button type="button" aria-pressed={props.guides} onClick={props.onGuides}>slopes</button>
      <button type="button" onClick={props.onAll}>all</button>
      {props.canWalk && (
        <span role="group" aria-label="Groups">
          <button type="button" aria-label="Previous group" onClick={() => props.onWalk(-1)}>◂</button>
          <button type="button" aria-label="Next group" onClick={() => props.onWalk(1)}>▸</button>
        </span>
      )}
      <button type="button" aria-pressed={props.asTable} onClick={props.onTable}>T table</button>
      <button type="button" onClick={() => showOverlay("keys")}>? keys</button>
    </div>
  );
}

const MOST_SHOWN = 4;

function SeriesChoice({ chart, setSeries }: RttToolsProps) {
  const shown = chart.series.filter((series) => series.shown).map((series) => series.id);
  return (
    <div className="rtt-series">
      {chart.series.map((series) => {
        const on = shown.includes(series.id);
        return (
          <label key={series.id}>
            <input
              type="checkbox" checked={on} disabled={on ? shown.length === 1 : shown.length >= MOST_SHOWN}
              onChange={() => setSeries(on ? shown.filter((id) => id !== series.id) : [...shown, series.id])}
            />
            <span><span className="mono">{pairWords(series)}</span> <small className="dim">{placeWords(series)} · {count(series.samples)}{series.held > 0 && `, ${count(series.held)} delayed`}</small></span>
          </label>
        );
      })}
      {chart.pairs_total > new Set(chart.series.map((series) => pairWords(series))).size && (
        <small className="dim">{count(chart.pairs_total)} pairs of hosts; those with delayed responses, then those with most samples are listed.</small>
      )}
    </div>
  );
}
