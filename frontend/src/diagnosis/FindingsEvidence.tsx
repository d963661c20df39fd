/** What findings rest on: their frames and lines, and filters that bring them up elsewhere. */
import { useSource } from "../api/source";
import type { Finding } from "../api/types";
import { framesIn } from "../findings/evidenceAddress";
import { EvidenceLinks } from "../findings/EvidenceLinks";
import { frameFilter, portableFilter } from "../findings/wiresharkFilter";
import { plural } from "../format/quantity";
import { CarveButton } from "../packets/CarveButton";
import { CopyButton } from "../ui/CopyButton";
import { RouteLink } from "../ui/RouteLink";

/** More of them are on the page of all findings. */
const SHOWN = 20;

/** `total` where `findings` may be the first of them only. */
export function FindingsEvidence({ findings, total = findings.length }: { findings: Finding[]; total?: number }) {
  const { page } = useSource();
  const shown = findings.slice(0, SHOWN);
  return (
    <ul className="findings-evidence">
      {shown.map((finding) => (
        <li key={finding.id} data-claim="finding" data-testid="finding" data-kind={finding.kind}>
          <div>
            <strong><RouteLink href={`${page}/findings/${encodeURIComponent(finding.id)}`}>{finding.title}</RouteLink></strong> {finding.count > 0 && <span className="dim">{plural(finding.count, "instance")}</span>}
          </div>
          <p>{finding.summary}</p>
          <EvidenceLinks evidence={finding.evidence} shown={12} frames_total={finding.frames_total} />
          <Filters finding={finding} />
          <CarveButton question={{ kind: "carving", finding: finding.id }} packets={finding.frames_total} />
        </li>
      ))}
      {total > shown.length && <li><RouteLink href={`${page}/findings`}>and {plural(total - shown.length, "more finding")}</RouteLink></li>}
    </ul>
  );
}

/** For the frames of each file, and for the connections in any file. */
function Filters({ finding }: { finding: Finding }) {
  // A part of the frames would be a filter for something else.
  const whole = framesIn(finding.evidence) === finding.frames_total;
  const inputs = whole ? [...new Set(finding.evidence.map((part) => part.input))] : [];
  const ofFiles = inputs.flatMap((input) => {
    const filter = frameFilter(finding.evidence, input);
    return filter ? [{ input, filter }] : [];
  });
  const portable = portableFilter(finding);
  if (!ofFiles.length && !portable) return null;
  return (
    <p className="frame-filters">
      {ofFiles.map(({ input, filter }) => (
        <span key={input}>
          <span className="dim">{input}</span> <CopyButton text={filter} label="Copy Wireshark filter" />
        </span>
      ))}
      {portable && (
        <span>
          <span className="dim">these connections in any file</span>{" "}
          <CopyButton text={portable} label="Copy portable filter" />
        </span>
      )}
    </p>
  );
}
