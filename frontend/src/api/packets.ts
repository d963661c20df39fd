/** Packets as lines of a list. */
import type { components } from "./schema";

type Schemas = components["schemas"];

export type PacketLine = Schemas["PacketLine"];
export type PacketPart = Schemas["PacketList"];
/** Completions in a filter, in place of the characters from `begin` to the cursor. */
export type FilterSuggestions = Schemas["FilterSuggestions"];
/** Places beside the list: round times, and marks of findings. */
export type PacketRail = Schemas["PacketRail"];
