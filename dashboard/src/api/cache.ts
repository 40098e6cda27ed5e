// The query cache, and changes that make parts of it stale.
import { focusManager, QueryClient, useIsMutating, useMutation, useQueryClient } from "@tanstack/react-query";
import { type Answer, api, type JsonRoute, onRefused, type Request } from "./client.ts";
import { Refused } from "./refused.ts";

/** Called when any call is answered that the session has ended. */
export function onSessionEnded(act: (refused: Refused) => void): void {
  onRefused((refused) => {
    if (refused.code === "unauthorized" || refused.code === "account_suspended") act(refused);
  });
}

// Also a window that comes to the front and was seen all the time, beside another one.
focusManager.setEventListener((changed) => {
  const look = () => changed();
  window.addEventListener("visibilitychange", look);
  window.addEventListener("focus", look);
  return () => {
    window.removeEventListener("visibilitychange", look);
    window.removeEventListener("focus", look);
  };
});

/** A refusal stands; what may pass is tried again. */
const mayPass = (error: Error) => error instanceof Refused && (error.status === 0 || error.status >= 500);

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      retry: (count, error) => count < 2 && mayPass(error),
      // What is not there stays away: asked for again, it would be loading until the same answer comes.
      refetchOnWindowFocus: ({ state: { data, error } }) => data !== undefined || error === null || mayPass(error),
      networkMode: "always",
    },
    mutations: { retry: false, gcTime: 0, networkMode: "always" },
  },
});

/** A change; `stale`: the reads of this connection, or of all, that are asked again when it was done. */
export function useChange<N extends JsonRoute>(name: N, stale: readonly JsonRoute[] = []) {
  const client = useQueryClient();
  return useMutation<Answer<N>, Refused, Request<N>>({
    mutationKey: [name],
    mutationFn: (given) => api(name, given),
    onSuccess: () => refresh(client, stale),
  });
}

const LEAVING = ["leaving"];

/** What ends the reader's right to what they look at, until they are elsewhere: nobody tells them meanwhile that it is gone. */
export function useLeaving(leave: () => Promise<unknown>) {
  return useMutation<unknown, Refused>({ mutationKey: LEAVING, mutationFn: leave });
}

export function useIsLeaving(): boolean {
  return useIsMutating({ mutationKey: LEAVING }) > 0;
}

/** Asks these reads again, wherever they are shown. */
export async function refresh(client: QueryClient, names: readonly JsonRoute[]): Promise<void> {
  await Promise.all(
    names.map(async (name) => {
      // A first read that is under way is not begun anew, and may have missed what has just changed.
      const reading = client.getQueryCache().findAll({ queryKey: [name], fetchStatus: "fetching" });
      const first = reading.filter(({ state }) => state.data === undefined);
      await Promise.allSettled(first.map(async ({ promise }) => promise));
      await client.invalidateQueries({ queryKey: [name] });
    }),
  );
}
