/** Opens the share dialog. */
import { useState } from "react";

import { useAllowed } from "../access/rights";
import { ShareDialog } from "./ShareDialog";

export function ShareButton({ label }: { label: string }) {
  const [open, setOpen] = useState(false);
  const allowed = useAllowed("share");
  return (
    <>
      <button type="button" className="button" {...allowed} onClick={() => setOpen(true)}>
        Share
      </button>
      {open && <ShareDialog label={label} onClose={() => setOpen(false)} />}
    </>
  );
}
