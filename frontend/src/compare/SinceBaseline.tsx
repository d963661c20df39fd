/** Above a run's verdict: what is new since the run that it was compared with (`?baseline=`). */
import { useComparisonsOf, useInvestigationOf } from "../api/comparisons";
import { ago } from "../format/quantity";
import { RouteLink, useAddress } from "../ui/RouteLink";
import { comparePage, gateOf } from "./compareWords";
import { GateWord } from "./GateWord";
import "./compare.css";

const ID = /^[0-9a-f]{1,32}$/;

export function SinceBaseline({ run }: { run: string }) {
  const { baseline = "" } = useAddress().parameters;
  return ID.test(baseline) ? <Since run={run} baseline={baseline} /> : null;
}

function Since({ run, baseline }: { run: string; baseline: string }) {
  const base = useInvestigationOf(baseline);
  const itsOwn = useComparisonsOf(baseline);
  const kept = useComparisonsOf(run).data?.find((each) => each.base_id === baseline && each.up_to_date);
  const gate = gateOf("finished", kept?.verdict);
  if (base.error) return <p className="since card panel" role="note">The baseline of this run was deleted.</p>;
  if (!base.data) return null;
  const before = gateOf(base.data.analysis, itsOwn.data?.find((each) => each.up_to_date)?.verdict);
  return (
    <aside className="since card panel" aria-label="Since the baseline" data-testid="since-baseline">
      {gate && <GateWord gate={gate} />}
      <span>
        New since run <RouteLink href={`/i/${baseline}`}>{baseline.slice(0, 8)}</RouteLink>{" "}
        <span className="dim">({base.data.label}, {[before ?? found(base.data.time_lost_s), ago(base.data.created)].join(", ")})</span>
      </span>
      {kept && <span className="since-told">{kept.statement}</span>}
      <RouteLink href={comparePage(baseline, run)}>Compare both</RouteLink>
    </aside>
  );
}

/** A run without a baseline of its own neither passed nor failed. */
const found = (seconds: number): string => (seconds > 0 ? "time was lost" : "no time lost");
