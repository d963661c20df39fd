/** Pass, fail or not finished: a word and a shape, never colour alone. */
import { GATE_GLYPHS, type Gate } from "./compareWords";
import "./compare.css";

export function GateWord({ gate }: { gate: Gate }) {
  return (
    <span className="gate" data-gate={gate} data-testid="gate">
      <span aria-hidden="true">{GATE_GLYPHS[gate]}</span> {gate}
    </span>
  );
}
