/** Chips above a region: part of the data so far, or an analysis by older rules. */
import { plural } from "../format/quantity";
import { useRegionState } from "./regionState";

const PERCENT = 100;

export function RegionChips() {
  const { partial, stale } = useRegionState();
  if (!partial && !stale) return null;
  return (
    <div className="region-chips">
      {partial && (
        <span className="region-chip" data-testid="partial">
          {partial.done_ratio === null ? "analysis running" : `decoded ${Math.floor(partial.done_ratio * PERCENT)} %`}
          {partial.findings > 0 && ` · ${plural(partial.findings, "finding")} so far`}
        </span>
      )}
      {stale && (
        <span className="region-chip" data-testid="stale">
          Analyzed with rules {stale.was}, now {stale.now}
          {stale.again && (
            <button type="button" className="link-button" disabled={stale.busy} onClick={stale.again}>
              re-run analysis
            </button>
          )}
        </span>
      )}
    </div>
  );
}
