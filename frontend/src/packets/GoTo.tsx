/** Ctrl G: to a frame, a time, or a row of the list. */
import { useEffect, useRef, useState } from "react";

import { ask, queryString } from "../api/http";
import { useSource } from "../api/source";

export type Goal = { row: number } | { t: number } | { input: string; frame: number };

/** What is meant: "#241", "any.pcap#241", "+1.025" (seconds after the first packet), or a row. */
export function goalOf(text: string, inputs: readonly string[]): Goal | null {
  const frame = /^(.*)#(\d+)$/.exec(text.trim());
  if (frame) {
    const input = frame[1] || inputs[0];
    return input !== undefined && inputs.includes(input) ? { input, frame: Number(frame[2]) } : null;
  }
  const time = /^([+-]\d*\.?\d+|\d+\.\d*|\d+(?= ?s$))\s*s?$/.exec(text.trim());
  if (time) return { t: Math.round(Number(time[1]) * 1e9) };
  const row = text.replaceAll(",", "").trim();
  return /^\d+$/.test(row) && Number(row) >= 1 ? { row: Number(row) - 1 } : null;
}

interface GoToProps {
  total: number;
  inputs: readonly string[];
  /** Of the list: places are counted within it. */
  asked: Record<string, string | number | null>;
  go: (row: number) => void;
}

export function GoTo({ total, inputs, asked, go }: GoToProps) {
  const { api, headers } = useSource();
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    const open = (event: globalThis.KeyboardEvent) => {
      if (event.key.toLowerCase() !== "g" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
      event.preventDefault();
      field.current?.focus();
      field.current?.select();
    };
    window.addEventListener("keydown", open);
    return () => window.removeEventListener("keydown", open);
  }, []);
  const goal = goalOf(text, inputs);
  async function follow(to: Goal) {
    setProblem(null);
    if ("row" in to) return go(Math.min(to.row, total - 1));
    try {
      const found = await ask<{ offset: number }>(`${api}/packets/place${queryString({ ...asked, ...to })}`, { headers });
      go(Math.min(found.offset, total - 1));
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
    return undefined;
  }
  return (
    <form
      className="packets-goto"
      onSubmit={(event) => {
        event.preventDefault();
        if (goal) void follow(goal);
      }}
    >
      {problem && <span role="alert" className="packet-filter-problem">{problem}</span>}
      <input ref={field} className="input" aria-label="Go to frame, time or row" title="Ctrl G" placeholder="#241 · +1.025 · row" value={text} aria-invalid={text !== "" && goal === null} onChange={(event) => setText(event.target.value)} />
      <button type="submit" className="button" disabled={goal === null}>Go to</button>
    </form>
  );
}
