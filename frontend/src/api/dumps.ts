/** Kernel dumps: what each holds, and how values changed from one to the next. */
import type { components } from "./schema";

type Schemas = components["schemas"];

/** One dump; a text may hold several. */
export type KernelDump = Schemas["KernelDump"];
/** A table of a dump; its rows are asked for page by page. */
export type DumpTableHead = Schemas["DumpTableHead"];
export type DumpColumn = Schemas["DumpColumn"];
export type DumpRow = Schemas["DumpRow"];
export type DumpTablePage = Schemas["DumpTablePage"];
/** A counter or a gauge over the dumps that hold it. */
export type DumpSeries = Schemas["DumpSeries"];
export type SeriesPoint = Schemas["SeriesPoint"];
export type SeriesList = Schemas["SeriesList"];
