/** Opens the share dialog. */
import { useState } from "react";

import { ShareDialog } from "./ShareDialog";

export function ShareButton({ label }: { label: string }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="button" onClick={() => setOpen(true)}>
        Share
      </button>
      {open && <ShareDialog label={label} onClose={() => setOpen(false)} />}
    </>
  );
}
