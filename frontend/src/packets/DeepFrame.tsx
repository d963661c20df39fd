/** One frame taken apart: its protocol tree and its bytes. Not behind a share link: payloads stay with the owner. */
import { useMemo, useState } from "react";

import { isUnderWay, useDissection, useLook, type Dissection } from "../api/looks";
import { useSource } from "../api/source";
import { count, plural } from "../format/quantity";
import { HexView } from "./HexView";
import { nodeAt, ProtocolTree, spanOf, type Span } from "./ProtocolTree";
import "./deepFrame.css";

export function DeepFrame({ input, frame }: { input: string; frame: number }) {
  const { readOnly } = useSource();
  return readOnly ? null : <Taken key={`${input}#${frame}`} input={input} frame={frame} />;
}

function Taken({ input, frame }: { input: string; frame: number }) {
  const question = useMemo(() => ({ kind: "dissection" as const, file: input, frame }), [input, frame]);
  const { look, error, again } = useLook(question);
  const found = useDissection(look);
  const problem = error?.message ?? found.error?.message ?? (look && !isUnderWay(look) && look.state !== "done" ? look.problem || "Canceled." : null);
  return (
    <section className="deep-frame" aria-label="Protocol tree and bytes" aria-busy={!found.data && problem === null}>
      <h3>Protocol tree and bytes</h3>
      {problem !== null && <p role="alert">{problem} <button type="button" className="link-button" onClick={() => void again()}>Try again</button></p>}
      {!found.data && problem === null && <p className="dim">A worker dissects the frame …</p>}
      {found.data && <Apart found={found.data} />}
    </section>
  );
}

function Apart({ found }: { found: Dissection }) {
  const [span, setSpan] = useState<Span | null>(null);
  const pointByte = (at: number | null) => {
    const node = at === null ? null : nodeAt(found.tree, at);
    setSpan(node ? spanOf(node) : null);
  };
  const cut = found.captured_bytes < found.original_bytes;
  return (
    <>
      <p className="dim" data-testid="deep-frame-note">
        By {found.by}. {cut && `Cut: ${count(found.captured_bytes)} of ${count(found.original_bytes)} bytes were captured. `}
        {found.tree_cut && "The tree is too long to show completely. "}
        {found.removed.length > 0 && `${plural(found.removed.length, "stretch", "stretches")} of credentials removed (••).`}
      </p>
      {found.tree.length ? <ProtocolTree tree={found.tree} span={span} point={setSpan} /> : <p>No known protocol; here are its bytes.</p>}
      <HexView hex={found.hex} removed={found.removed} span={span} point={pointByte} />
    </>
  );
}
