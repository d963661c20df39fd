/** What can be done with a cell: only this, not this, copy, copy for Wireshark. */
import { useEffect, useRef, type KeyboardEvent } from "react";

import type { CellComparison } from "./cellFilter";

interface CellMenuProps {
  at: { x: number; y: number };
  comparison: CellComparison;
  narrow: (not: boolean) => void;
  close: () => void;
}

export function CellMenu({ at, comparison, narrow, close }: CellMenuProps) {
  const menu = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    menu.current?.querySelector("button")?.focus();
    const outside = (event: PointerEvent) => {
      if (!menu.current?.contains(event.target as Node)) close();
    };
    window.addEventListener("pointerdown", outside);
    return () => {
      window.removeEventListener("pointerdown", outside);
      if (before instanceof HTMLElement) before.focus({ preventScroll: true });
    };
  }, [close]);
  const items: [string, () => void][] = [
    ["Only this", () => narrow(false)],
    ["Not this", () => narrow(true)],
    ["Copy", () => void navigator.clipboard.writeText(comparison.text)],
  ];
  const { wireshark } = comparison;
  if (wireshark !== null) items.push(["Copy as Wireshark filter", () => void navigator.clipboard.writeText(wireshark)]);
  function walk(event: KeyboardEvent<HTMLDivElement>) {
    if (event.key === "Escape") {
      event.preventDefault();
      close();
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const buttons = [...(menu.current?.querySelectorAll("button") ?? [])];
    buttons[(buttons.indexOf(document.activeElement as HTMLButtonElement) + step + buttons.length) % buttons.length]?.focus();
  }
  return (
    <div
      ref={menu} role="menu" tabIndex={-1} aria-label={`Cell ${comparison.text}`} className="cell-menu card" onKeyDown={walk}
      style={{ left: Math.min(at.x, window.innerWidth - 230), top: Math.min(at.y, window.innerHeight - 150) }}
    >
      <p className="dim mono" role="presentation">{comparison.own}</p>
      {items.map(([name, act]) => (
        <button
          key={name} type="button" role="menuitem"
          onClick={() => {
            act();
            close();
          }}
        >
          {name}
        </button>
      ))}
    </div>
  );
}
