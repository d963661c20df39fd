import { RouteLink } from "../ui/RouteLink";

export function NotFound() {
  return (
    <main className="page">
      <h1>Page not found</h1>
      <p>
        The investigation may have been deleted. <RouteLink href="/">All investigations</RouteLink>
      </p>
    </main>
  );
}
