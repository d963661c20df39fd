/** Keeps a mistake of ours to the part of the page it happened in. */
import { Component, type ReactNode } from "react";

interface BoundaryProps {
  label: string;
  children: ReactNode;
}

/** Six letters and digits that name the place: the same mistake has the same number in every report of it. */
export function mistakeNumber(error: Error): string {
  const text = `${error.name}:${error.message}`;
  let sum = 5381;
  for (let at = 0; at < text.length; at += 1) sum = (sum * 33 + text.charCodeAt(at)) % 0x1000000;
  return sum.toString(16).padStart(6, "0");
}

export class Boundary extends Component<BoundaryProps, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <div role="alert" className="region-failure" data-testid="mistake">
        <strong>{this.props.label} cannot be shown: a mistake of ours.</strong> {error.message} (error {mistakeNumber(error)} in the page). The rest of the page works.{" "}
        <button type="button" className="link-button" onClick={() => this.setState({ error: null })}>
          Try again
        </button>
      </div>
    );
  }
}
