/** A panel at the right edge: one at a time, resizable, closed by Escape, focus given back. */
import { useEffect, useRef, useState, type PointerEvent, type ReactNode } from "react";

import "./sidePanel.css";

const WIDTH_KEY = "stallscope-panel-width";
const NARROWEST_PX = 360;
const WIDEST_PX = 720;

function clampWidth(width_px: number): number {
  return Math.min(WIDEST_PX, Math.max(NARROWEST_PX, width_px));
}

function storedWidth(): number {
  return clampWidth(Number(window.localStorage.getItem(WIDTH_KEY)) || 460);
}

interface SidePanelProps {
  title: ReactNode;
  label: string;
  onClose: () => void;
  children: ReactNode;
}

export function SidePanel({ title, label, onClose, children }: SidePanelProps) {
  const [width, setWidth] = useState(storedWidth);
  const panel = useRef<HTMLElement>(null);
  useFocusHandover(panel);
  useEscape(onClose);

  function drag(event: PointerEvent<HTMLDivElement>) {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const next = clampWidth(window.innerWidth - event.clientX);
    setWidth(next);
    window.localStorage.setItem(WIDTH_KEY, String(next));
  }

  return (
    <aside ref={panel} className="side-panel" aria-label={label} tabIndex={-1} style={{ width }}>
      <div
        className="side-panel-edge"
        aria-hidden="true"
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={drag}
      />
      <header className="side-panel-head">
        <h2>{title}</h2>
        <button type="button" className="plain-button" onClick={onClose} aria-label="Close panel">
          ✕
        </button>
      </header>
      <div className="side-panel-body">{children}</div>
    </aside>
  );
}

function useEscape(onClose: () => void) {
  useEffect(() => {
    function close(event: KeyboardEvent) {
      if (event.key === "Escape" && !event.defaultPrevented) onClose();
    }
    window.addEventListener("keydown", close);
    return () => window.removeEventListener("keydown", close);
  }, [onClose]);
}

function useFocusHandover(panel: React.RefObject<HTMLElement | null>) {
  useEffect(() => {
    const before = document.activeElement;
    panel.current?.focus({ preventScroll: true });
    return () => {
      if (before instanceof HTMLElement) before.focus({ preventScroll: true });
    };
  }, [panel]);
}
