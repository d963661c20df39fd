/** The bytes of a frame, sixteen a row, as numbers and as letters. */
import { memo } from "react";

import type { Span } from "./ProtocolTree";

const ROW_BYTES = 16;
/** Rows drawn at once; a frame has rarely more. */
const ROWS_AT_MOST = 512;

interface HexViewProps {
  hex: string;
  removed: [number, number][];
  span: Span | null;
  point: (at: number | null) => void;
}

const letterOf = (value: number): string => (value >= 0x20 && value < 0x7f ? String.fromCharCode(value) : "·");

export function HexView({ hex, removed, span, point }: HexViewProps) {
  const size = hex.length / 2;
  const rows = Math.min(ROWS_AT_MOST, Math.ceil(size / ROW_BYTES));
  return (
    <div className="hex-view mono" role="region" aria-label="Bytes" tabIndex={0} data-testid="hex" onPointerLeave={() => point(null)}>
      {Array.from({ length: rows }, (_, row) => {
        const begin = row * ROW_BYTES;
        const end = Math.min(size, begin + ROW_BYTES);
        const marked = span && span.begin < end && begin < span.end ? `${Math.max(span.begin, begin)}-${Math.min(span.end, end)}` : "";
        const gone = removed.filter(([from, to]) => from < end && begin < to).flat().join();
        return <Row key={row} begin={begin} hex={hex.slice(2 * begin, 2 * end)} marked={marked} gone={gone} point={point} />;
      })}
      {size > rows * ROW_BYTES && <p>The first {rows * ROW_BYTES} bytes are shown.</p>}
    </div>
  );
}

interface RowProps {
  begin: number;
  hex: string;
  /** `<first>-<end>` of the bytes pointed at. */
  marked: string;
  /** Pairs of first and end of removed bytes. */
  gone: string;
  point: (at: number) => void;
}

const Row = memo(function Row({ begin, hex, marked, gone, point }: RowProps) {
  const [first = 0, end = 0] = marked ? marked.split("-").map(Number) : [];
  const removed = gone ? gone.split(",").map(Number) : [];
  const isGone = (at: number) => removed.some((from, index) => index % 2 === 0 && from <= at && at < (removed[index + 1] ?? 0));
  const values = Array.from({ length: hex.length / 2 }, (_, at) => Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16));
  const classOf = (at: number) => [at >= first && at < end ? "hex-at" : "", isGone(at) ? "hex-gone" : ""].join(" ").trim() || undefined;
  return (
    <div className="hex-row">
      <span className="hex-offset">{begin.toString(16).padStart(4, "0")}</span>
      <span className="hex-bytes">
        {values.map((value, at) => (
          <span key={at} className={classOf(begin + at)} data-byte={begin + at} onPointerEnter={() => point(begin + at)}>
            {isGone(begin + at) ? "••" : value.toString(16).padStart(2, "0")}
          </span>
        ))}
      </span>
      <span className="hex-letters" aria-hidden="true">
        {values.map((value, at) => (
          <span key={at} className={classOf(begin + at)} onPointerEnter={() => point(begin + at)}>{isGone(begin + at) ? "•" : letterOf(value)}</span>
        ))}
      </span>
    </div>
  );
});
