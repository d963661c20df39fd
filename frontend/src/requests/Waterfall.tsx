/** One request as a waterfall: a table whose bars are cells, so that a screen reader reads words and milliseconds. */
import type { RequestDetail, Segment } from "../api/requests";
import { useRequest } from "../api/requests";
import { useReport } from "../api/queries";
import { useSource } from "../api/source";
import { sourceOf } from "../pictures/frame";
import { PictureButtons } from "../pictures/PictureButtons";
import { useTokens } from "../timeline/useTokens";
import { waterfallPicture, waterfallWords, whoAsked } from "./waterfallPicture";
import { CompareButton } from "../connections/ComparedConnections";
import { EvidenceLink } from "../findings/EvidenceLinks";
import { Region } from "../ui/Region";
import { RouteLink, useAddress } from "../ui/RouteLink";
import { costlierKind, costSentence, KIND_WORDS, ms, placeBars, sumOf, type Bar } from "./segments";

interface WaterfallProps {
  rid: number;
  heading: string;
  /** Whether a fast request beside it may be asked for. */
  comparable?: boolean;
}

export function Waterfall({ rid, heading, comparable = false }: WaterfallProps) {
  const detail = useRequest(rid);
  return (
    <Region label={`Request, ${heading}`} query={detail}>
      {(found) => comparable && found.fast_rid !== null ? <Comparable detail={found} fastRid={found.fast_rid} heading={heading} /> : <Taken detail={found} heading={heading} />}
    </Region>
  );
}

/** A slow request, and, where the address asks for it, the nearest fast one of the same line under it. */
function Comparable({ detail, fastRid, heading }: { detail: RequestDetail; fastRid: number; heading: string }) {
  const { parameters } = useAddress();
  const fast = useRequest(fastRid);
  const compared = parameters.compare === "1" && fast.data !== undefined ? fast.data : null;
  const differs = compared === null ? null : costlierKind(detail, compared);
  return (
    <>
      <p><CompareButton /></p>
      {differs !== null && <p data-testid="request-difference">Largest difference: <b>{differs.sentence}</b>.</p>}
      <Taken detail={detail} heading={heading} differs={differs?.kind} />
      {compared !== null && <Taken detail={compared} heading="one that worked" differs={differs?.kind} />}
    </>
  );
}

function Taken({ detail, heading, differs }: { detail: RequestDetail; heading: string; differs?: Segment["kind"] }) {
  const { request } = detail;
  const { page } = useSource();
  const bars = placeBars(detail);
  const cost = costSentence(detail);
  const who = whoAsked(request);
  return (
    <article
      className="waterfall" aria-label={`${heading}: ${request.method} ${request.path}`} data-testid="waterfall" data-rid={request.rid}
      data-total={detail.total_ms ?? ""} data-gap={detail.gap_ms} data-sum={sumOf(detail.segments)}
    >
      <header className="waterfall-head">
        <b>{heading}</b>
        <span className="mono">{request.method ? `${request.method} ${request.path}` : "payload not readable (TLS)"}</span>
        {request.basis === "inferred" && <span className="waterfall-inferred" title="Inferred from the timing of its data: payload not readable.">inferred</span>}
        <span className="dim mono">{who}</span>
        <RouteLink className="waterfall-link" href={`${page}/connections/${request.cid}`}>connection</RouteLink>
        {request.request_id && <span className="dim">id {request.request_id}</span>}
        <span className="waterfall-total">{detail.total_ms === null ? "not answered" : `${ms(detail.total_ms)} ms`}</span>
      </header>
      {cost !== null && <p className="waterfall-cost" data-claim data-testid="cost">{cost}. <Proof detail={detail} /></p>}
      {bars.length === 0 ? <p className="dim">Its end was not captured, so there is no breakdown.</p> : <Table detail={detail} bars={bars} differs={differs ?? detail.costliest} />}
      {request.shape === null && bars.length > 0 && <NotSeen detail={detail} />}
      {bars.length > 0 && <SavePicture detail={detail} />}
    </article>
  );
}

function SavePicture({ detail }: { detail: RequestDetail }) {
  const tokens = useTokens();
  const { path } = useAddress();
  return <PictureButtons name={`request-${String(detail.request.rid)}`} draw={() => waterfallPicture(detail, tokens, waterfallWords(detail, sourceOf(path)))} />;
}

/** The frames of what cost most, or of the request itself. */
function Proof({ detail }: { detail: RequestDetail }) {
  const { request } = detail;
  const own = detail.segments.filter((segment) => segment.kind === detail.costliest && segment.first_frame !== null && segment.input !== null);
  const longest = own.reduce<Segment | null>((a, b) => (a === null || b.counted_ms > a.counted_ms ? b : a), null);
  const input = longest?.input ?? request.input;
  const frames = longest ? [longest.first_frame, longest.last_frame] : [request.request_first_frame, request.response_last_frame];
  return <Frames input={input} frames={frames} />;
}

function Frames({ input, frames }: { input: string | null; frames: (number | null)[] }) {
  const known = [...new Set(frames.filter((frame) => frame !== null))];
  if (input === null) return null;
  return <span className="evidence-links">{known.map((frame) => <EvidenceLink key={frame} target={{ input, kind: "frame", first: frame, last: frame }} />)}</span>;
}

function Table({ detail, bars, differs }: { detail: RequestDetail; bars: Bar[]; differs: string }) {
  const { request, total_ms: total, gap_ms: gap } = detail;
  return (
    <table className="waterfall-table">
      <caption className="visually-hidden">Latency breakdown</caption>
      <colgroup><col className="waterfall-col-kind" /><col /><col className="waterfall-col-ms" /><col className="waterfall-col-what" /><col className="waterfall-col-frames" /></colgroup>
      <thead className="visually-hidden"><tr><th>part</th><th>when</th><th>ms</th><th>what</th><th>frames</th></tr></thead>
      <tbody>
        <tr className="waterfall-whole">
          <th scope="row">whole request</th>
          <td><span className="waterfall-track"><i className="waterfall-bar" style={{ left: 0, width: "100%" }} /></span></td>
          <td className="number">{ms(total ?? 0)}</td><td className="dim">status {request.status ?? "none"}</td>
          <td><Frames input={request.input} frames={[request.request_first_frame, request.response_last_frame]} /></td>
        </tr>
        <Axis total_ms={total ?? 0} />
        {bars.map((bar, at) => <SegmentRow key={at} bar={bar} costliest={bar.kind === differs} />)}
      </tbody>
      <tfoot>
        <tr data-testid="sum">
          <th scope="row">sum and gap</th>
          <td colSpan={4}>
            segments {ms(sumOf(detail.segments))} + gap {ms(gap)} = {ms(total ?? 0)} ms
            <span className="dim">{Math.abs(gap) >= 0.005 ? " · the gap is the path between the vantage points of caller and server" : " · all of it is attributed"}</span>
          </td>
        </tr>
      </tfoot>
    </table>
  );
}

const AXIS_QUARTERS = [0, 1, 2, 3, 4];

/** Times at the grid lines, in ms from the first byte of the request. */
function Axis({ total_ms }: { total_ms: number }) {
  return (
    <tr className="waterfall-axis" data-testid="waterfall-axis">
      <th scope="row" className="dim">ms</th>
      <td><span className="waterfall-marks">{AXIS_QUARTERS.map((n) => <small key={n} style={{ left: `${n * 25}%` }}>{ms((total_ms * n) / 4)}</small>)}</span></td>
      <td colSpan={3} />
    </tr>
  );
}

function SegmentRow({ bar, costliest }: { bar: Bar; costliest: boolean }) {
  const parallel = bar.length_ms - bar.counted_ms > 0.005;
  return (
    <tr
      data-testid="segment" data-kind={bar.kind} data-counted={bar.counted_ms} className={costliest ? "waterfall-costliest" : undefined}
    >
      <th scope="row">{KIND_WORDS[bar.kind]}{bar.basis === "inferred" && bar.kind !== "own" && <small className="dim"> inferred</small>}</th>
      <td>
        <span className="waterfall-track">
          <i className={`waterfall-bar waterfall-${bar.kind}${bar.basis === "inferred" && bar.kind !== "own" ? " waterfall-dashed" : ""}`} style={{ left: `${bar.left}%`, width: `${bar.width}%` }} />
        </span>
      </td>
      <td className="number">{ms(bar.counted_ms)}</td>
      <td>
        {bar.kind !== "own" && <span className="mono waterfall-line">{bar.line || bar.name}</span>}
        {bar.status !== null && <span className="dim"> {bar.status}</span>}
        {parallel && <span className="dim"> · open for {ms(bar.length_ms)} ms, the rest beside another part</span>}
        {bar.withheld && <span className="waterfall-secret" title={bar.withheld}> {bar.withheld}: ••• removed on arrival</span>}
      </td>
      <td><Frames input={bar.input} frames={[bar.first_frame, bar.last_frame]} /></td>
    </tr>
  );
}

/** Why there are no parts: the server was never seen to ask anybody. */
function NotSeen({ detail }: { detail: RequestDetail }) {
  const lanes = useReport().data?.lanes ?? [];
  const where = lanes.map((lane) => lane.name).slice(0, 4).join(", ");
  return (
    <p className="dim">
      What {detail.request.responder} did meanwhile was not seen{where && ` (captured: ${where})`}.{" "}
      <RouteLink href="/capture">Capture at the server, too</RouteLink> to take the wait apart.
    </p>
  );
}
