/** A sentence in which backticks enclose code. */
export function InlineCode({ text }: { text: string }) {
  return <>{text.split(/`([^`]+)`/).map((part, at) => (at % 2 ? <code key={at} className="mono">{part}</code> : part))}</>;
}
