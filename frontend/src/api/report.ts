/** The outline of the report `stallscope.report/1` that pages load, part by part. */
import type { components } from "./schema";

type Schemas = components["schemas"];

export type Report = Schemas["ReportOutline"];
export type Finding = Schemas["FindingOutline"];
/** Without rows: page by page they are asked for. */
export type ReportTable = Finding["tables"][number];
/** One instance of a finding; without times where no mark shows them. */
export interface FindingInstance {
  instance: number;
  start: string | null;
  end: string | null;
  /** Different frames that prove it. */
  frames: number;
}
export type Diagnosis = Schemas["DiagnosisPart"];
export type Claim = Schemas["ClaimPart"];
export type Rival = Schemas["RivalPart"];
export type Remedy = Schemas["RemedyPart"];
export type Choice = Remedy["choice"][number];
/** The one thing to do first: a change, something to read, or somebody to ask. */
export type DoNow = NonNullable<Diagnosis["do_now"]>;
/** Whom a cause affects at one destination, or at it and others that differ in nothing but their address. */
export type Impact = NonNullable<Diagnosis["impact"]>;
/** Diagnoses of one cause, equally sure, at several destinations; the first stands for all of them. */
export type CauseGroup = Report["groups"][number];
export type GroupRow = CauseGroup["rows"][number];
/** Every connection delayed by `threshold_s` or more, counted once. */
export type Account = Schemas["AccountPart"];
export type Outcome = Schemas["OutcomesPart"];
export type Checked = Schemas["CheckedPart"];
export type Quality = Schemas["QualityPart"];
export type Lane = Schemas["LanePart"];
export type Evidence = Schemas["EvidencePart"];

export type Verdict = Diagnosis["verdict"];
export type Role = Finding["role"];
export type Glyph = Schemas["MarkPart"]["glyph"];
