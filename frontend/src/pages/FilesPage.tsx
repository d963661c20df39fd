/** Files and their jobs: what each one is, how far it is, what was wrong with it. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";

import { useAllowed } from "../access/rights";
import { ask } from "../api/http";
import { askAgain } from "../api/refetch";
import { useFiles, useInvestigation, useProgress, useReport } from "../api/queries";
import { useSource } from "../api/source";
import type { EvidenceFile } from "../api/types";
import { DumpText } from "../findings/DumpText";
import { evidenceParameter } from "../findings/evidenceAddress";
import { StrangeLines } from "../findings/StrangeLines";
import { bytes, count, plural } from "../format/quantity";
import { AnonymisedDownload } from "../packets/AnonymisedDownload";
import { CopyButton } from "../ui/CopyButton";
import { Region } from "../ui/Region";
import { RouteLink, useAddress, useHrefWith, useSetParameters } from "../ui/RouteLink";
import { SidePanel } from "../ui/SidePanel";
import { useTitle } from "../ui/useTitle";
import { FilePicker } from "../upload/FilePicker";
import { NotUsed } from "../upload/NotUsed";
import { RunningAnalysis, stageWords } from "../upload/RunningAnalysis";
import { UploadRows } from "../upload/UploadRows";
import { useUploads } from "../upload/UploadsProvider";

export function FilesPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const investigation = useInvestigation().data;
  const files = useFiles();
  const report = useReport().data;
  const { send } = useUploads();
  const running = investigation?.analysis === "queued" || investigation?.analysis === "running";
  useTitle(`Files · ${investigation?.label ?? ""}`);
  return (
    <>
      <header className="panel-head">
        <h1>Files</h1>
        {investigation?.may.includes("change") && <FilePicker label="Add files" onPick={(picked) => void send(picked, id)} />}
      </header>
      {running && <RunningAnalysis listed />}
      <UploadRows investigation={id} />
      <Region
        label="Files"
        query={files}
        empty={(list) => (list.length ? null : "No files yet. Drop captures or dumps anywhere on this page, or paste a dump with Ctrl+V.")}
      >
        {(list) => <FilesTable files={list} />}
      </Region>
      <NotUsed report={report} />
      {investigation?.analysis === "finished" && files.data !== undefined && files.data.length > 0 && <AnonymisedDownload />}
      {investigation?.analysis === "finished" && (
        <p>
          <RouteLink href={`/i/${id}`}>Show the verdict</RouteLink> <AnalyseAnew />
        </p>
      )}
      <WholeDump />
    </>
  );
}

/** The files as listed, with the newest progress of each. */
function useLiveFiles(files: EvidenceFile[]): EvidenceFile[] {
  const live = useProgress(false).data?.files ?? [];
  return files.map((file) => {
    const now = live.find((other) => other.id === file.id);
    return now ? { ...file, ...now } : file;
  });
}

function FilesTable({ files }: { files: EvidenceFile[] }) {
  const live = useLiveFiles(files);
  return (
    <div className="card">
      <table className="table files-table">
        <thead>
          <tr>
            <th>File</th>
            <th>Kind</th>
            <th className="number">Size</th>
            <th>Stage</th>
            <th className="number">Packets</th>
            <th>Notes</th>
            <th aria-label="Actions" />
          </tr>
        </thead>
        <tbody>
          {live.map((file) => (
            <FileRow key={file.id} file={file} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function stageCell(file: EvidenceFile): string {
  if (file.status === "decoded") return "✓ done";
  if (file.status === "failed" || file.status === "refused") return `✖ ${file.status}`;
  return stageWords(file);
}

function FileRow({ file }: { file: EvidenceFile }) {
  const source = useSource();
  return (
    <tr data-testid="file" data-name={file.name} data-status={file.status}>
      <td>
        <strong>{file.name}</strong>
        {file.sha256 && (
          <span className="dim mono" title={file.sha256}>
            {" "}
            {file.sha256.slice(0, 8)}
          </span>
        )}
      </td>
      <td>{file.format ?? file.kind ?? "–"}</td>
      <td className="number">{bytes(file.size_bytes)}</td>
      <td data-testid="file-stage" data-stage={file.stage?.number ?? ""}>
        {stageCell(file)}
      </td>
      <td className="number">{file.packets ? count(file.packets) : "–"}</td>
      <td>
        <FileNotes file={file} />
      </td>
      <td className="number">
        {file.sha256 && <CopyButton text={file.sha256} label="SHA-256" />}{" "}
        <RemoveFile file={file} api={source.api} />
      </td>
    </tr>
  );
}

function FileNotes({ file }: { file: EvidenceFile }) {
  const hrefWith = useHrefWith();
  return (
    <>
      {file.error && (
        <p className="file-error" role="alert">
          {file.error}
        </p>
      )}
      {file.lines > 0 && (
        <RouteLink href={hrefWith({ text: file.name, line: "1" })}>
          {plural(file.lines, "line")}
          {file.lines_not_understood > 0 && `, ${count(file.lines_not_understood)} not understood`}
        </RouteLink>
      )}
      <StrangeLines file={file} />
      {file.packets > 0 && (
        <RouteLink
          href={hrefWith({ evidence: evidenceParameter({ input: file.name, kind: "frame", first: 1, last: 1 }) })}
        >
          frames
        </RouteLink>
      )}
      {file.holds_credentials && <HeldCredentials file={file} />}
      {file.warnings.length > 0 && (
        <ul className="file-notes">
          {file.warnings.map((warning) => (
            <li key={warning}>{warning}</li>
          ))}
        </ul>
      )}
    </>
  );
}

/** Only the file itself holds them: nothing that was made of it does, and a share link does not hand it out. */
function HeldCredentials({ file }: { file: EvidenceFile }) {
  const source = useSource();
  const mayDownload = !useAllowed("download").disabled;
  const content = `${source.api}/files/${encodeURIComponent(file.id)}/content?credentials=accept`;
  return (
    <p className="file-notes">
      Holds credentials in clear text; nothing made of it does.{" "}
      {mayDownload && (
        <a
          href={content}
          download={file.name}
          onClick={(event) => {
            if (!window.confirm(`${file.name} holds credentials that anyone with the file can use. Download it?`))
              event.preventDefault();
          }}
        >
          Download
        </a>
      )}
      {!mayDownload && !source.readOnly && "Only its owner or an admin may download it."}
    </p>
  );
}

/** After an update: a newer version may see more in the same files. */
function AnalyseAnew() {
  const allowed = useAllowed("change");
  const source = useSource();
  const queries = useQueryClient();
  const again = useMutation({
    mutationFn: () => ask(`${source.api}/analyses?anew=true`, { method: "POST" }),
    onSuccess: () => void askAgain(queries, { queryKey: [source.key] }),
  });
  return (
    <button type="button" className="plain-button" title={allowed.title} disabled={allowed.disabled || again.isPending} onClick={() => again.mutate()}>
      Re-run analysis
    </button>
  );
}

function RemoveFile({ file, api }: { file: EvidenceFile; api: string }) {
  const allowed = useAllowed("delete");
  const source = useSource();
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => ask(`${api}/files/${file.id}`, { method: "DELETE" }),
    onSuccess: () => void askAgain(queries, { queryKey: [source.key] }),
  });
  return (
    <button
      type="button"
      className="plain-button"
      title={allowed.title}
      disabled={allowed.disabled || remove.isPending}
      onClick={() => window.confirm(`Remove ${file.name} and re-run the analysis without it?`) && remove.mutate()}
    >
      Remove
    </button>
  );
}

/** `?text=<file>&line=<n>`: a dump's text beside the list. */
function WholeDump() {
  const { parameters } = useAddress();
  const setParameters = useSetParameters();
  const name = parameters.text;
  const line = Number(parameters.line) || 1;
  if (!name) return null;
  return (
    <SidePanel title={name} label={`Text of ${name}`} onClose={() => setParameters({ text: null, line: null }, "push")}>
      <DumpText key={`${name}:${line}`} input={name} first={line} last={line} />
    </SidePanel>
  );
}
