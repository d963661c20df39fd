/** `/compare?a=&b=`: two investigations, and what is new, gone or worse in the second. */
import { useAllInvestigations, useComparison } from "../api/comparisons";
import { Problem } from "../api/http";
import { ChooseTwo } from "../compare/ChooseTwo";
import { ComparisonView } from "../compare/ComparisonView";
import { GateWord } from "../compare/GateWord";
import { Region } from "../ui/Region";
import { useAddress } from "../ui/RouteLink";
import { useTitle } from "../ui/useTitle";
import "../compare/compare.css";
import "../diagnosis/diagnosis.css";

/** The server's word for an analysis that is not over. */
const CONFLICT = 409;

export function ComparePage() {
  useTitle("Compare");
  const { a = "", b = "" } = useAddress().parameters;
  const investigations = useAllInvestigations();
  return (
    <main id="main" className="page" tabIndex={-1}>
      <h1>Compare</h1>
      <Region label="Investigations" query={investigations}>
        {(all) => <ChooseTwo investigations={all} base={a} candidate={b} />}
      </Region>
      {a && b ? <Compared key={`${a} ${b}`} base={a} candidate={b} /> : <p>Choose two to compare: the baseline (before) and the candidate (after).</p>}
    </main>
  );
}

function Compared({ base, candidate }: { base: string; candidate: string }) {
  const comparison = useComparison(base, candidate);
  if (comparison.error instanceof Problem && comparison.error.status === CONFLICT) {
    return (
      <section className="card panel compare-verdict" aria-label="Verdict">
        <GateWord gate="not finished" />
        <p className="compare-statement">{comparison.error.message}</p>
        <button type="button" className="button" onClick={() => void comparison.refetch()}>Refresh</button>
      </section>
    );
  }
  return (
    <Region label="Comparison" query={comparison}>
      {(found) => <ComparisonView comparison={found} base={base} candidate={candidate} />}
    </Region>
  );
}
