/** What the claim is of: packets, files, and how many of these files are incomplete. */
import type { Report } from "../api/types";
import { plural } from "../format/quantity";

export function denominatorWords({ inputs, inputs_total }: Pick<Report, "inputs" | "inputs_total">): string {
  const packets = inputs.reduce((sum, input) => sum + input.packets, 0);
  const cautions = inputs.filter((input) => input.warnings.length > 0 || input.error !== null).length;
  const read = `${packets > 0 ? `${plural(packets, "packet")} in ` : ""}${plural(inputs_total, "file")}`;
  return cautions > 0 ? `${read}, ${plural(cautions, "of them with a warning", "of them with warnings")}` : read;
}

export function Denominator({ report }: { report: Report }) {
  return <p className="dim denominator" data-testid="denominator">From {denominatorWords(report)}.</p>;
}
