/** What findings rest on: their frames and lines, and filters that bring them up elsewhere. */
import { useSource } from "../api/source";
import type { Finding } from "../api/types";
import { EvidenceLinks } from "../findings/EvidenceLinks";
import { frameFilter, portableFilter } from "../findings/wiresharkFilter";
import { plural } from "../format/quantity";
import { CarveButton } from "../packets/CarveButton";
import { CopyButton } from "../ui/CopyButton";
import { RouteLink } from "../ui/RouteLink";

export function FindingsEvidence({ findings }: { findings: Finding[] }) {
  const { page } = useSource();
  return (
    <ul className="findings-evidence">
      {findings.map((finding) => (
        <li key={finding.id} data-claim="finding" data-testid="finding" data-kind={finding.kind}>
          <div>
            <strong><RouteLink href={`${page}/findings/${encodeURIComponent(finding.id)}`}>{finding.title}</RouteLink></strong> {finding.count > 0 && <span className="dim">{plural(finding.count, "instance")}</span>}
          </div>
          <p>{finding.summary}</p>
          <EvidenceLinks evidence={finding.evidence} shown={12} />
          <Filters finding={finding} />
          <CarveButton question={{ kind: "carving", finding: finding.id }} packets={framesIn(finding)} />
        </li>
      ))}
    </ul>
  );
}

/** Different frames that it rests on: a carved capture has as many. */
function framesIn(finding: Finding): number {
  return new Set(finding.evidence.flatMap((part) => part.frames.map((frame) => `${part.input}#${frame}`))).size;
}

/** For the frames of each file, and for the connections in any file. */
export function Filters({ finding }: { finding: Finding }) {
  const inputs = [...new Set(finding.evidence.map((part) => part.input))];
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
