/** A secret at the only moment when it can be read. */
import { CopyButton } from "../ui/CopyButton";

export function OnceShown({ what, secret }: { what: string; secret: string }) {
  return (
    <div className="once-shown" role="status" data-testid="once-shown">
      <strong>{what}</strong>
      <input className="input mono" readOnly value={secret} aria-label={what} onFocus={(event) => event.target.select()} />
      <CopyButton text={secret} />
      <p className="dim">Shown only once: only its hash is stored. Copy it now.</p>
    </div>
  );
}
