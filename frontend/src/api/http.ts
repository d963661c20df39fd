/** JSON over fetch; a refused request becomes a Problem (RFC 9457). */
import { lookAgain, markLost, markReached } from "./reachability";

/** What the server says went wrong, in a sentence for the person in front of the page. */
export class Problem extends Error {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  /** The whole document: members of its own besides the usual. */
  readonly members: Readonly<Record<string, unknown>>;

  constructor(status: number, title: string, detail: string, members: Record<string, unknown> = {}) {
    super(detail || title);
    this.members = members;
    this.status = status;
    this.title = title;
    this.detail = detail;
  }
}

async function problemOf(response: Response): Promise<Problem> {
  try {
    const body = (await response.json()) as { title?: string; detail?: unknown };
    const detail = typeof body.detail === "string" ? body.detail : "";
    return new Problem(response.status, body.title ?? response.statusText, detail, body);
  } catch {
    return new Problem(response.status, response.statusText || `HTTP ${response.status}`, "");
  }
}

export interface Ask {
  method?: string;
  /** Sent as JSON. */
  json?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** Said on the window when the server no longer knows who we are. */
export const SIGNED_OUT = "stallscope-signed-out";

/** A server that does not answer at all is no refusal: the page says so once, in one place. */
async function reach(path: string, options: RequestInit): Promise<Response> {
  try {
    const response = await fetch(path, options);
    if (response.status === 503) void lookAgain();
    else markReached();
    return response;
  } catch (error) {
    if (!options.signal?.aborted) markLost();
    throw error;
  }
}

/** Asks the API and returns the parsed JSON; throws Problem. */
export async function ask<Answer>(path: string, options: Ask = {}): Promise<Answer> {
  const headers: Record<string, string> = { accept: "application/json", ...options.headers };
  if (options.json !== undefined) headers["content-type"] = "application/json";
  const response = await reach(path, {
    method: options.method ?? "GET",
    headers,
    body: options.json === undefined ? undefined : JSON.stringify(options.json),
    signal: options.signal,
  });
  if (response.status === 401) window.dispatchEvent(new Event(SIGNED_OUT));
  if (!response.ok) throw await problemOf(response);
  if (response.status === 204) return undefined as Answer;
  const text = await response.text();
  return (text ? JSON.parse(text) : undefined) as Answer;
}

/** Asks for a text; throws Problem. */
export async function askText(path: string, signal?: AbortSignal): Promise<string> {
  const response = await reach(path, { signal });
  if (!response.ok) throw await problemOf(response);
  return response.text();
}

/** Query string of the parameters that are set. */
export function queryString(parameters: Record<string, string | number | null | undefined>): string {
  const set = Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined && value !== "");
  if (!set.length) return "";
  return "?" + new URLSearchParams(set.map(([key, value]) => [key, String(value)])).toString();
}
