/** Compile-time check: what the page takes the API to answer is what the API says it answers. */
import type { components } from "./schema";
import type { PacketPart } from "./packets";
import type * as page from "./types";

type Answers = components["schemas"];

/** As it is sent: parts with a default value are optional in the description, but always there. */
type Sent<Part> = Part extends (infer Item)[]
  ? Sent<Item>[]
  : Part extends object
    ? { [Name in keyof Part]-?: Sent<Exclude<Part[Name], undefined>> }
    : Part;

/** Fails to compile where an answer of the API would not do for the page. */
type Agrees<Answer extends Expected, Expected> = [Answer, Expected];

/** With plain strings for kinds: the charts' answers do not list theirs. */
type Wide<Part> = Part extends string
  ? string
  : Part extends (infer Item)[]
    ? Wide<Item>[]
    : Part extends object
      ? { [Name in keyof Part]: Wide<Part[Name]> }
      : Part;

/** Figures are name and value; the description knows them as a record of strings only. */
type Diagnosis = Omit<page.Diagnosis, "figures">;

export type Agreement = [
  Agrees<Omit<Sent<Answers["ReportOutline"]>, "diagnoses">, Omit<page.Report, "diagnoses">>,
  Agrees<Sent<Answers["DiagnosisPart"]>, Diagnosis>,
  Agrees<Sent<Answers["Investigation"]>, page.Investigation>,
  Agrees<Sent<Answers["File"]>, page.EvidenceFile>,
  Agrees<Sent<Answers["Progress"]>, page.Progress>,
  Agrees<Sent<Answers["Timeline"]>, Wide<page.Timeline>>,
  Agrees<Sent<Answers["Connection"]>, Wide<page.Connection>>,
  Agrees<Sent<Answers["ConnectionDetail"]>, Wide<page.ConnectionDetail>>,
  Agrees<Sent<Answers["ConnectionList"]>, Wide<page.ConnectionPage>>,
  Agrees<Sent<Answers["Frame"]>, page.Frame>,
  Agrees<Sent<Answers["Lines"]>, page.DumpLines>,
  Agrees<Sent<Answers["Recognition"]>, page.Recognition>,
  Agrees<Sent<Answers["DetectorRule"]>, page.DetectorRule>,
  Agrees<Sent<Answers["CauseRule"]>, page.CauseRule>,
  Agrees<Sent<Answers["DumpList"]>, { items: page.KernelDump[] }>,
  Agrees<Sent<Answers["DumpTable"]>, page.DumpTablePage>,
  Agrees<Sent<Answers["SeriesList"]>, page.SeriesList>,
  Agrees<Sent<Answers["PacketList"]>, PacketPart>,
  Agrees<Sent<Answers["NewShare"]>, page.Share>,
  Agrees<Sent<Answers["Demo"]>, page.Demo>,
];
