import { type QueryClient, type QueryFilters, useQueryClient } from "@tanstack/react-query";
import { type StreamState, useStream } from "../../src/api/live.ts";
import { keysOf } from "./control.ts";

const EVENTS = ["ready", "changed"] as const;

type Changed = { part: string; chat_id?: string };

export function useLive(phone: string | null): StreamState {
  const client = useQueryClient();
  return useStream(phone === null ? null : `/phones/${phone}/events`, EVENTS, ({ type, data }) => {
    if (phone === null) return;
    // Changes made while there was no stream were not reported.
    if (type === "ready") return void readAgain(client, {});
    const { part, chat_id: chat } = data as Changed;
    for (const queryKey of keysOf(phone, part)) {
      void readAgain(client, { queryKey, predicate: ({ queryKey: [, , , given] }) => concerns(given, chat) });
    }
  });
}

/** Waits for a running fetch, which may have been answered before the change, then refetches. Concurrent changes share one refetch. */
async function readAgain(client: QueryClient, which: QueryFilters): Promise<void> {
  const underWay = client.getQueryCache().findAll({ ...which, fetchStatus: "fetching" });
  await Promise.allSettled(underWay.map(async ({ promise }) => promise));
  await client.invalidateQueries(which, { cancelRefetch: false });
}

function concerns(given: unknown, chat: string | undefined): boolean {
  const read = (given as { chat?: string } | undefined)?.chat;
  return chat === undefined || read === undefined || read === chat;
}
