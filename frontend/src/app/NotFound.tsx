import { RouteLink } from "../ui/RouteLink";
import { useTitle } from "../ui/useTitle";

/** `was`: title of an investigation that was open when it disappeared. */
export function NotFound({ was }: { was?: string }) {
  const title = was === undefined ? "Page not found" : "Investigation not found";
  useTitle(title);
  return (
    <main className="page" data-testid="not-found">
      <h1>{title}</h1>
      <p>
        {was === undefined ? "There is nothing at this address. An investigation may have been deleted." : `“${was}” was deleted, or your access to it was removed.`}{" "}
        <RouteLink href="/">All investigations</RouteLink>
      </p>
    </main>
  );
}
