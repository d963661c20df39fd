/** Asking again after something changed on the server. */
import type { QueryClient, QueryFilters } from "@tanstack/react-query";

/**
 * Drops answers under way and asks again. Invalidating alone would let a first answer that was asked for
 * before the change arrive after it and stay.
 */
export async function askAgain(queries: QueryClient, filters: QueryFilters): Promise<void> {
  await queries.cancelQueries(filters);
  await queries.invalidateQueries(filters);
}
