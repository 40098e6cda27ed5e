import { focusManager, QueryClient, useIsMutating, useMutation, useQueryClient } from "@tanstack/react-query";
import { type ResponseBody, api, type JsonRoute, onRefused, type Request } from "./client.ts";
import { Refused } from "./refused.ts";

export function onSessionEnded(act: (refused: Refused) => void): () => void {
  return onRefused((refused) => {
    if (refused.code === "unauthorized" || refused.code === "account_suspended") act(refused);
  });
}

// Also refetches when a window regains focus without having been hidden.
focusManager.setEventListener((changed) => {
  const look = () => changed();
  window.addEventListener("visibilitychange", look);
  window.addEventListener("focus", look);
  return () => {
    window.removeEventListener("visibilitychange", look);
    window.removeEventListener("focus", look);
  };
});

const mayPass = (error: Error) => error instanceof Refused && (error.status === 0 || error.status >= 500);

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      retry: (count, error) => count < 2 && mayPass(error),
      // Does not refetch a missing resource, because the page would show its loading state again only to receive the same response.
      refetchOnWindowFocus: ({ state: { data, error } }) => data !== undefined || error === null || mayPass(error),
      networkMode: "always",
    },
    mutations: { retry: false, gcTime: 0, networkMode: "always" },
  },
});

/** `stale` contains the queries to invalidate after success. */
export function useChange<N extends JsonRoute>(name: N, stale: readonly JsonRoute[] = []) {
  const client = useQueryClient();
  return useMutation<ResponseBody<N>, Refused, Request<N>>({
    mutationKey: [name],
    mutationFn: (given) => api(name, given),
    onSuccess: () => refresh(client, stale),
  });
}

const LEAVING = ["leaving"];

/** For changes that end the user's own access. Until the user has left the page, failed reads are expected. */
export function useLeaving(leave: () => Promise<unknown>) {
  return useMutation<unknown, Refused>({ mutationKey: LEAVING, mutationFn: leave });
}

export function useIsLeaving(): boolean {
  return useIsMutating({ mutationKey: LEAVING }) > 0;
}

export async function refresh(client: QueryClient, names: readonly JsonRoute[]): Promise<void> {
  await Promise.all(
    names.map(async (name) => {
      // Waits for queries that are being fetched for the first time, because invalidating them would not start them again.
      const reading = client.getQueryCache().findAll({ queryKey: [name], fetchStatus: "fetching" });
      const first = reading.filter(({ state }) => state.data === undefined);
      await Promise.allSettled(first.map(async ({ promise }) => promise));
      await client.invalidateQueries({ queryKey: [name] });
    }),
  );
}
