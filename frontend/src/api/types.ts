/** What the REST API answers, by the names that the page uses; `npm run generate:api` writes the description. */
import type { components } from "./schema";

export type * from "./dumps";
export type * from "./report";

type Schemas = components["schemas"];

export type Investigation = Schemas["Investigation"];
export type Analysis = NonNullable<Investigation["analysis"]>;
export type Right = Investigation["may"][number];
export type EvidenceFile = Schemas["File"];
export type Progress = Schemas["Progress"];
/** A finding of an analysis that still runs. */
export type FindingSoFar = Schemas["FindingSoFar"];

export interface Page<Item> {
  items: Item[];
  next_cursor?: string | null;
  total?: number;
}

export type Timeline = Schemas["Timeline"];
export type TimelineLane = Schemas["TimelineLane"];
export type TimelinePacket = Schemas["TimelinePacket"];
export type TimelineMark = Schemas["TimelineMark"];
export type Connection = Schemas["Connection"];
export type ConnectionPacket = Schemas["ConnectionPacket"];
export type ConnectionPage = Schemas["ConnectionList"];
export type ConnectionDetail = Schemas["ConnectionDetail"];
export type FrameColumn = Schemas["FrameColumn"];
export type Frame = Schemas["Frame"];
export type DumpLines = Schemas["Lines"];
/** A detector's rule in Markdown. */
export type DetectorRule = Schemas["DetectorRule"];
/** A cause's page in Markdown. */
export type CauseRule = Schemas["CauseRule"];
export type Recognition = Schemas["Recognition"];

export type Share = Schemas["Share"] & { url_path?: string; secret?: string };
/** What a new link shows. */
export type ShareOptions = Schemas["ShareOptions"];
/** A part of the time, what a filter leaves of it, and some lanes. */
export type ShareView = Schemas["View"];
/** A link's session, and what the link shows. */
export type ShareSession = Schemas["ShareSession"];
export type Demo = Schemas["Demo"];
