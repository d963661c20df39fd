/** Folded time: a zig-zag over all lanes where it was cut out, its length in the ruler, what lies in it along it. */
import { stretch } from "../format/offset";
import { foldWords, roundTo3, trafficWords, type FoldedTraffic } from "./folds";
import { FOLD_PX, foldsInView, type Fold, type TimeAxis } from "./timeAxis";
import { FOLD_LABEL_PX } from "./ticks";

interface FoldsProps {
  axis: TimeAxis;
  height: number;
  traffic: (fold: Fold) => FoldedTraffic;
}

const TOOTH_PX = 8;

const foldLength = (fold: Fold): string => stretch(roundTo3(fold.to - fold.from));

/** Below the marks: the strip and its edges. A fold full of packets is grey, one without any is empty. */
export function FoldStrips({ axis, height, traffic }: FoldsProps) {
  return foldsInView(axis).map((fold) => {
    const left = traffic(fold);
    return (
      <div
        key={fold.from} className={left.packets > 0 ? "timeline-fold timeline-fold-full" : "timeline-fold"} aria-hidden="true"
        style={{ left: axis.x(fold.from), width: FOLD_PX, height }}
      >
        <svg width={FOLD_PX} height={height}><path d={zigZag(1, height)} /><path d={zigZag(FOLD_PX - TOOTH_PX / 2 - 1, height)} /></svg>
        <span>{foldLength(fold)} · {trafficWords(left)}</span>
      </div>
    );
  });
}

function zigZag(left: number, height: number): string {
  const points: string[] = [];
  for (let n = 0; n * TOOTH_PX <= height; n += 1) points.push(`${left + (n % 2) * (TOOTH_PX / 2)} ${n * TOOTH_PX}`);
  return `M${points.join("L")}`;
}

/** Above the marks: what is pressed to look into a fold. */
export function FoldButtons({ axis, height, traffic, look }: FoldsProps & { look: (fold: Fold) => void }) {
  return foldsInView(axis).map((fold) => {
    const left = Math.max(axis.x(fold.from), 0);
    const width = Math.min(axis.x(fold.to), axis.widthPx) - left;
    const words = foldWords(fold, traffic(fold));
    return (
      <button
        key={fold.from} type="button" className="timeline-fold-button" data-testid="fold" data-from={fold.from} data-to={fold.to} tabIndex={-1}
        style={{ left, width, height }} title={`${words}: zoom in`} aria-label={`Zoom into ${words}`}
        onPointerDown={(event) => event.stopPropagation()} onPointerUp={(event) => event.stopPropagation()}
        onDoubleClick={(event) => event.stopPropagation()} onClick={() => look(fold)}
      />
    );
  });
}

export function FoldLabels({ axis }: { axis: TimeAxis }) {
  let free = 0;
  return foldsInView(axis).map((fold) => {
    const middle = (axis.x(fold.from) + axis.x(fold.to)) / 2;
    const left = Math.min(Math.max(middle - FOLD_LABEL_PX / 2, 0), axis.widthPx - FOLD_LABEL_PX);
    // Where two stand close each tells its length along itself only.
    if (left < free) return null;
    free = left + FOLD_LABEL_PX;
    return <span key={fold.from} className="timeline-fold-label" data-fold={foldLength(fold)} style={{ left, width: FOLD_LABEL_PX }}>{foldLength(fold)}</span>;
  });
}
