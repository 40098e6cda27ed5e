// Paged lists. Kept apart from cache.ts, because the dashboard's first page does not need `useInfiniteQuery`.
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { type Answer, api, type JsonRoute, type Request } from "./client.ts";

type Page = { data: unknown[]; next_cursor: string | null };
type PagedRoute = { [N in JsonRoute]: N extends `GET ${string}` ? (Answer<N> extends Page ? N : never) : never }[JsonRoute];

export function usePages<N extends PagedRoute>(name: N, given: Request<N>) {
  return useInfiniteQuery({
    queryKey: [name, given, "pages"],
    queryFn: ({ pageParam, signal }): Promise<Answer<N>> =>
      api(name, pageParam === null ? given : { ...given, cursor: pageParam }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (last: Answer<N>) => (last as Page).next_cursor,
    placeholderData: keepPreviousData,
  });
}

export function withoutEmpty<T extends Record<string, string>>(filters: T): Partial<T> {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== "")) as Partial<T>;
}
