// What is shown of a phone is read again when the network reports that it is new.
import { type QueryClient, type QueryFilters, useQueryClient } from "@tanstack/react-query";
import { type StreamState, useStream } from "../../src/api/live.ts";
import { keysOf } from "./control.ts";

const EVENTS = ["ready", "changed"] as const;

type Changed = { part: string; chat_id?: string };

export function useLive(phone: string | null): StreamState {
  const client = useQueryClient();
  return useStream(phone === null ? null : `/phones/${phone}/events`, EVENTS, ({ type, data }) => {
    if (phone === null) return;
    // Whatever happened while there was no stream was not reported.
    if (type === "ready") return void readAgain(client, {});
    const { part, chat_id: chat } = data as Changed;
    for (const queryKey of keysOf(phone, part)) {
      void readAgain(client, { queryKey, predicate: ({ queryKey: [, , , given] }) => concerns(given, chat) });
    }
  });
}

/** A read that is under way may have been answered before the change: it is waited for, then asked again. Many changes are one more read. */
async function readAgain(client: QueryClient, which: QueryFilters): Promise<void> {
  const underWay = client.getQueryCache().findAll({ ...which, fetchStatus: "fetching" });
  await Promise.allSettled(underWay.map(async ({ promise }) => promise));
  await client.invalidateQueries(which, { cancelRefetch: false });
}

/** A read of one chat is touched by changes of that chat alone. */
function concerns(given: unknown, chat: string | undefined): boolean {
  const read = (given as { chat?: string } | undefined)?.chat;
  return chat === undefined || read === undefined || read === chat;
}
