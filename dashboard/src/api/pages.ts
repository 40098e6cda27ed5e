// Paged lists. Kept apart from cache.ts, because the dashboard's first page does not need `useInfiniteQuery`.
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { type PagedRoute, paging } from "./prefetch.ts";
import type { Request } from "./client.ts";

export function usePages<N extends PagedRoute>(name: N, given: Request<N>) {
  return useInfiniteQuery({ ...paging(name, given), placeholderData: keepPreviousData });
}

export function withoutEmpty<T extends Record<string, string>>(filters: T): Partial<T> {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== "")) as Partial<T>;
}
