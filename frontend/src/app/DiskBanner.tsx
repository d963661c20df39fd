/** Said at the top while the server's disk is too full for uploads, before somebody waits for one to be refused. */
import { useQuery } from "@tanstack/react-query";

import { ask } from "../api/http";
import { bytes } from "../format/quantity";
import { useAddress } from "../ui/RouteLink";

const AGAIN_MS = 60_000;

interface Storage {
  free_bytes: number;
  reserve_bytes: number;
  uploads_refused: boolean;
}

export function DiskBanner() {
  const { path } = useAddress();
  const { data } = useQuery({
    queryKey: ["storage"],
    queryFn: ({ signal }) => ask<Storage>("/api/v1/storage", { signal }),
    // Who opened a share link uploads nothing, and may not ask.
    enabled: !path.startsWith("/s/"),
    refetchInterval: AGAIN_MS,
    retry: false,
  });
  if (!data?.uploads_refused) return null;
  return (
    <div role="alert" className="connection-banner" data-testid="disk-low">
      <strong>Low disk space: uploads are refused.</strong> {bytes(data.free_bytes)} free, {bytes(data.reserve_bytes)} reserved. Delete
      investigations, or free space on the server's disk.
    </div>
  );
}
