// Waiting sends. The connection's stream reports their changes, so nothing is polled.
import { useQuery } from "@tanstack/react-query";
import { type ResponseBody, reading } from "../../api/client.ts";
import { useFresh } from "../../api/fresh.ts";

export const WAITING = "GET /connections/{id}/waiting";
export type WaitingSend = ResponseBody<typeof WAITING>["data"][number];

const SHOWN_IN_CHAT = 100;
const GATHER_MS = 250;

export function useFreshWaiting(): void {
  useFresh("waiting", [WAITING], GATHER_MS);
}

/** Returns a chat's waiting sends in sending order. `readAt` is when they were read, in Unix ms by this browser's clock. */
export function useWaitingIn(id: string, chatId: string): { sends: readonly WaitingSend[]; readAt: number } {
  useFreshWaiting();
  const { data, isPlaceholderData, isFetching, dataUpdatedAt } = useQuery(reading(WAITING, { id, chat_id: chatId, limit: SHOWN_IN_CHAT }));
  return isPlaceholderData || data === undefined ? NONE : { sends: data.data, readAt: isFetching ? 0 : dataUpdatedAt };
}

const NONE = { sends: [], readAt: 0 };
