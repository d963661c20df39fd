/** What is true of everything an investigation shows: it is older than the rules, or only a part so far. */
import { createContext, useContext } from "react";

export interface RegionState {
  /** Analyzed by one version, and another is installed now. `again` is missing for those who may only read. */
  stale: { was: string; now: string; again?: () => void; busy: boolean } | null;
  /** An analysis is under way: what is shown may grow. */
  partial: { done_ratio: number | null; overall_ratio: number; findings: number } | null;
}

const NOTHING: RegionState = { stale: null, partial: null };
const State = createContext<RegionState>(NOTHING);
const Inside = createContext(false);

export const RegionStateProvider = State.Provider;
/** Regions inside another one leave its chips to it. */
export const InsideRegion = Inside.Provider;

/** How far the analysis is, 0 to 1, never backwards while one runs; null where none runs. */
export const useOverallRatio = (): number | null => useContext(State).partial?.overall_ratio ?? null;

/** For a region: the state to show, nothing for one inside another. */
export function useRegionState(): RegionState {
  const state = useContext(State);
  return useContext(Inside) ? NOTHING : state;
}
