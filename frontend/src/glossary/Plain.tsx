/** The grey sentences of explain mode. */
import { useSettings } from "../settings/settings";
import { columnSentence } from "./plainWords";
import "./glossary.css";

/** A sentence in plain words, shown in explain mode only. */
export function Plain({ sentence }: { sentence: string | null }) {
  const { explain } = useSettings();
  if (!explain || sentence === null) return null;
  return <span className="plain-words" data-testid="plain">{sentence}</span>;
}

interface ExplainedColumn {
  name: string;
  why?: string;
}

/** What the columns of a table hold, above it. */
export function ColumnWords({ columns }: { columns: readonly ExplainedColumn[] }) {
  const { explain } = useSettings();
  if (!explain) return null;
  const described = columns.map((column) => [column.name, columnSentence(column.name, column.why)] as const).filter(([, sentence]) => sentence !== null);
  if (!described.length) return null;
  return (
    <dl className="plain-columns" data-testid="plain-columns">
      {described.map(([name, sentence], at) => (
        <div key={at}>
          <dt>{name}</dt>
          <dd>{sentence}</dd>
        </div>
      ))}
    </dl>
  );
}
