/** `/i/:id/state`: what the kernel said of itself: every dump as a table, differences, and what went up and down. */
import { useDumps, useDumpSeries } from "../api/queries";
import type { KernelDump } from "../api/types";
import { count, plural } from "../format/quantity";
import { DeltaTables } from "../kernel/DeltaTables";
import { DumpView } from "../kernel/DumpView";
import { SeriesCharts } from "../kernel/SeriesCharts";
import { chosenDump, textsOf, type DumpText } from "../kernel/seriesPlot";
import { Region } from "../ui/Region";
import { RouteLink, useAddress, useHrefWith } from "../ui/RouteLink";
import { useTitle } from "../ui/useTitle";
import "../kernel/kernel.css";

export function StatePage() {
  useTitle("Kernel state");
  const dumps = useDumps();
  return (
    <>
      <h1>Kernel state</h1>
      <Region label="Dumps" query={dumps} empty={(found) => (found.length ? null : <NoDumps />)}>
        {(found) => (
          <>
            <Changes />
            <Dumps dumps={found} />
          </>
        )}
      </Region>
    </>
  );
}

function NoDumps() {
  return (
    <p>
      No kernel dump was given: conntrack, ipvsadm, sysctl, iptables, nstat and others can be read.{" "}
      <RouteLink href="/capture">What to capture</RouteLink>
    </p>
  );
}

function Changes() {
  const series = useDumpSeries();
  return (
    <Region
      label="Changes" query={series}
      empty={(found) => (found.items.length || found.contradictions.length ? null : "Nothing to compare: no value is in two dumps.")}
    >
      {(found) => (
        <>
          <DeltaTables series={found.items} contradictions={found.contradictions} />
          <SeriesCharts series={found.items} />
        </>
      )}
    </Region>
  );
}

function Dumps({ dumps }: { dumps: KernelDump[] }) {
  const { parameters } = useAddress();
  const chosen = chosenDump(dumps, parameters.dump);
  const texts = textsOf(dumps);
  return (
    <section aria-label="Dumps" className="kernel-section">
      <h2>{plural(dumps.length, "dump")} <span className="dim">in {plural(texts.length, "text")}</span></h2>
      <div className="kernel-dumps">
        <nav className="card kernel-list" aria-label="Dumps">
          {texts.map((text) => <TextLink key={text.input} text={text} chosen={chosen} />)}
        </nav>
        {chosen && (
          <div>
            <Series text={texts.find((text) => text.input === chosen.input)} chosen={chosen} />
            <DumpView key={`${chosen.input}~${chosen.number}`} dump={chosen} />
          </div>
        )}
      </div>
    </section>
  );
}

function TextLink({ text, chosen }: { text: DumpText; chosen: KernelDump | undefined }) {
  const hrefWith = useHrefWith();
  const strange = text.dumps.reduce((sum, dump) => sum + dump.lines_not_understood, 0);
  return (
    <RouteLink
      href={hrefWith({ dump: `${text.input}~0`, table: null, rows: null })} aria-current={text.input === chosen?.input ? "page" : undefined} data-testid="dump-text-link"
    >
      <b>{text.input}</b>
      <span className="dim">
        {[...new Set(text.dumps.map((dump) => dump.kind))].join(", ")}
        {text.dumps.length > 1 && ` · ${count(text.dumps.length)} dumps`}
        {strange > 0 && ` · ${plural(strange, "line")} not understood`}
      </span>
    </RouteLink>
  );
}

/** One after another, where a text holds several. */
function Series({ text, chosen }: { text: DumpText | undefined; chosen: KernelDump }) {
  const hrefWith = useHrefWith();
  if (!text || text.dumps.length < 2) return null;
  const at = text.dumps.indexOf(chosen);
  const to = (dump: KernelDump | undefined, words: string) =>
    dump && <RouteLink className="button" href={hrefWith({ dump: `${dump.input}~${dump.number}` })}>{words}</RouteLink>;
  return (
    <nav className="kernel-walk" aria-label="Dumps of this text">
      {to(text.dumps[at - 1], "◂ earlier")} dump {at + 1} of {text.dumps.length} {to(text.dumps[at + 1], "later ▸")}
    </nav>
  );
}
