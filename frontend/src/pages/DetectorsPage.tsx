/** `/detectors`: everything that is looked for; `/detectors/:id`: one rule whole, with thresholds and look-alikes. */
import { useParams } from "@tanstack/react-router";
import { useState } from "react";

import { useCauseRules, useDetectorRules } from "../api/queries";
import type { CauseRule, DetectorRule } from "../api/types";
import { rulePartsOf } from "../detectors/ruleParts";
import { plural } from "../format/quantity";
import { Markdown } from "../ui/Markdown";
import { Region } from "../ui/Region";
import { RouteLink } from "../ui/RouteLink";
import { useTitle } from "../ui/useTitle";
import "../diagnosis/diagnosis.css";
import "../detectors/detectors.css";

export function DetectorsPage() {
  useTitle("Detection rules");
  const rules = useDetectorRules();
  const causes = useCauseRules();
  return (
    <main id="main" className="page" tabIndex={-1}>
      <h1>Detection rules</h1>
      <p className="dim">Each rule with its thresholds, its limits and its look-alikes.</p>
      <Region label="Rules" query={rules}>
        {(found) => (
          <div className="rules">
            {found.map((rule) => <Card key={rule.kind} rule={rule} />)}
          </div>
        )}
      </Region>
      <h2 className="causes-head">Causes</h2>
      <p className="dim">What a diagnosis may name: mechanism, look-alikes, evidence to collect, remedies, sources.</p>
      <Region label="Causes" query={causes}>
        {(found) => <>{found.map((cause) => <Cause key={cause.cause} cause={cause} />)}</>}
      </Region>
    </main>
  );
}

/** Its page is built when it is opened: there are many. */
function Cause({ cause }: { cause: CauseRule }) {
  const [open, setOpen] = useState(false);
  return (
    <details className="cause-rule panel" data-testid="cause-rule" data-cause={cause.cause} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{cause.title} <code>{cause.cause}</code></summary>
      {open && <Markdown text={cause.page.replace(/^\s*# .*\n\nCause .*\n/, "")} />}
    </details>
  );
}

function Card({ rule }: { rule: DetectorRule }) {
  const parts = rulePartsOf(rule.kind, rule.rule);
  return (
    <article className="card panel" data-testid="detector" data-kind={rule.kind}>
      <h2><RouteLink href={`/detectors/${rule.kind}`}>{parts.title}</RouteLink></h2>
      <p>{parts.finds.replaceAll("`", "")}</p>
      <p className="dim">{parts.thresholds ? `${plural(parts.thresholds, "threshold")}, each with its reason` : "no threshold"}</p>
    </article>
  );
}

export function DetectorPage() {
  const { kind } = useParams({ strict: false }) as { kind: string };
  const rules = useDetectorRules();
  return (
    <main id="main" className="page" tabIndex={-1}>
      <Region label="Rule" query={rules}>
        {(found) => <Rule rules={found} kind={kind} />}
      </Region>
    </main>
  );
}

function Rule({ rules, kind }: { rules: DetectorRule[]; kind: string }) {
  const rule = rules.find((each) => each.kind === kind);
  useTitle(rule ? rulePartsOf(kind, rule.rule).title : "Detection rules");
  return (
    <div className="rule-page">
      <nav aria-label="Rules">
        <RouteLink href="/detectors">All rules</RouteLink>
        {rules.map((each) => (
          <RouteLink key={each.kind} href={`/detectors/${each.kind}`} aria-current={each.kind === kind ? "page" : undefined}>
            {rulePartsOf(each.kind, each.rule).title}
          </RouteLink>
        ))}
      </nav>
      {rule ? (
        <article className="card panel" data-testid="rule-text">
          <h1>{rulePartsOf(kind, rule.rule).title}</h1>
          <Markdown text={rule.rule.replace(/^\s*# .*\n/, "")} />
        </article>
      ) : (
        <div><h1>Rule not found</h1><p>It may have had another name in an earlier version; all current rules are listed here.</p></div>
      )}
    </div>
  );
}
