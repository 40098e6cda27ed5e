// Requests a page's data while its code loads, or as soon as the pointer hovers over a link to the page (`router.tsx`).
import type { QueryKey } from "@tanstack/react-query";
import { queries } from "./cache.ts";
import { type ResponseBody, api, type JsonRoute, reading, type Request } from "./client.ts";

type Page = { data: unknown[]; next_cursor: string | null };
export type PagedRoute = { [N in JsonRoute]: N extends `GET ${string}` ? (ResponseBody<N> extends Page ? N : never) : never }[JsonRoute];

/** When a page opens, data older than this is refetched, because a closed page does not receive changes. */
const FRESH_MS = 2_000;
const BRIEF_WAIT_MS = 100;

export function paging<N extends PagedRoute>(name: N, given: Request<N>) {
  return {
    queryKey: [name, given, "pages"] as const,
    queryFn: ({ pageParam, signal }: { pageParam: string | null; signal: AbortSignal }): Promise<ResponseBody<N>> =>
      api(name, pageParam === null ? given : { ...given, cursor: pageParam }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (last: ResponseBody<N>) => (last as Page).next_cursor,
  };
}

export function prefetch<N extends JsonRoute & `GET ${string}`>(name: N, given: Request<N>): Promise<unknown> {
  const wanted = reading(name, given);
  return unlessKnown(wanted, (staleTime) => queries.prefetchQuery({ ...wanted, staleTime }));
}

export function prefetchPages<N extends PagedRoute>(name: N, given: Request<N>): Promise<unknown> {
  const wanted = paging(name, given);
  return unlessKnown(wanted, (staleTime) => queries.prefetchInfiniteQuery({ ...wanted, staleTime }));
}

/** Resolves immediately if cached data can be shown during the request. */
function unlessKnown({ queryKey }: { queryKey: QueryKey }, read: (staleTime: number) => Promise<void>): Promise<unknown> {
  const isKnown = queries.getQueryData(queryKey) !== undefined;
  const request = read(FRESH_MS);
  return isKnown ? Promise.resolve() : request;
}

/** Waits briefly for the data, because rendering a page twice moves its content and is slow on phones. */
export async function waitBriefly(reads: readonly Promise<unknown>[]): Promise<void> {
  await Promise.race([Promise.all(reads), new Promise((resolve) => setTimeout(resolve, BRIEF_WAIT_MS))]);
}

type Opened = { params: { id: string }; cause: "preload" | "enter" | "stay" };

/** Creates the loader for a page of a connection. `reads` starts the page's requests. They are not repeated when a dialog opens. */
export function connectionLoader(reads: (id: string) => readonly Promise<unknown>[]) {
  let last = "";
  return async ({ params: { id }, cause }: Opened): Promise<void> => {
    // `cause` is also "stay" when the user switches to another connection.
    const isOpen = cause === "stay" && id === last;
    last = id;
    if (!isOpen) await waitBriefly(reads(id));
  };
}

/** For requests that only an owner may make. As long as the role is unknown, the page makes them itself later. */
export function forOwner(id: string, reads: () => readonly Promise<unknown>[]): readonly Promise<unknown>[] {
  return queries.getQueryData(reading("GET /connections/{id}", { id }).queryKey)?.data.role === "owner" ? reads() : [];
}
