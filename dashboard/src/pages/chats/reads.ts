// The chat pages' queries. Stream events invalidate them, so nothing is polled.
import { type InfiniteData, type QueryClient, useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { paging } from "../../api/prefetch.ts";
import { type ResponseBody, api, reading } from "../../api/client.ts";
import { queries, refresh } from "../../api/cache.ts";
import { useFrames } from "../../api/live.ts";
import { useReadAgain } from "../../api/fresh.ts";

export type Chat = ResponseBody<"GET /connections/{id}/chats">["data"][number];
export type Message = ResponseBody<"GET /connections/{id}/chats/{chat_id}/messages">["data"][number];

export const CHATS = "GET /connections/{id}/chats";
export const CHAT = "GET /connections/{id}/chats/{chat_id}";
export const MESSAGES = "GET /connections/{id}/chats/{chat_id}/messages";
const VOTES = "GET /connections/{id}/chats/{chat_id}/messages/{message_id}/votes";
const PAGE = 100;

export function useChats(id: string, q: string) {
  return useInfiniteQuery(paging(CHATS, { id, q, limit: PAGE }));
}

export function useMissingFeatures(id: string): ResponseBody<"GET /connections/{id}">["data"]["lacks"] {
  return useQuery(reading("GET /connections/{id}", { id })).data?.data.lacks ?? [];
}

export function useMessages(id: string, chatId: string) {
  return useInfiniteQuery({
    queryKey: messagesOf(id, chatId),
    queryFn: async ({ pageParam, signal }) => {
      const askedAt = Date.now();
      return { ...(await api(MESSAGES, { id, chat_id: chatId, limit: PAGE, ...after(pageParam) }, { signal })), askedAt };
    },
    initialPageParam: "",
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
}

/** `chat` is null when the chat has no messages or is not loaded yet. */
export function useChat(id: string, chatId: string) {
  const { data, isStale } = useQuery(reading(CHAT, { id, chat_id: chatId }));
  return { chat: data?.data?.chat_id === chatId ? data.data : null, isStale };
}

export const messagesOf = (id: string, chatId: string) => [MESSAGES, { id, chat_id: chatId }] as const;

/** The message, if this page has read it. */
export function messageIn(id: string, chatId: string, messageId: string): Message | undefined {
  const read = queries.getQueryData<InfiniteData<{ data: Message[] }>>(messagesOf(id, chatId));
  return read?.pages.flatMap(({ data }) => data).find(({ message_id }) => message_id === messageId);
}

export function useVotes(id: string, { chat_id, message_id }: Message) {
  return useQuery(reading(VOTES, { id, chat_id, message_id })).data?.data ?? [];
}

export function isShown(id: string, chatId: string): boolean {
  return (
    queries
      .getQueryCache()
      .find({ queryKey: messagesOf(id, chatId) })
      ?.isActive() === true
  );
}

const after = (cursor: string) => (cursor === "" ? {} : { cursor });

const READS = [CHATS, CHAT, MESSAGES, VOTES] as const;

export function refreshChats(client: QueryClient): Promise<void> {
  return refresh(client, READS);
}

const GATHER_MS = 120;

/**
 * Refetches chats after events, and when the user returns, because closed pages miss events. Simultaneous events cause one refetch. `onBack`
 * is called when the stream is connected again.
 */
export function useLiveChats(onBack: () => void): void {
  const again = useReadAgain(READS, GATHER_MS);
  // Null until the first frame, because messages may have been stored between the first reads and the stream's start.
  const wasAway = useRef<boolean | null>(null);
  const client = useQueryClient();
  useEffect(
    () => () => {
      for (const name of READS) {
        // A request that is still running would restore the state from before the invalidation.
        void client.cancelQueries({ queryKey: [name] });
        void client.invalidateQueries({ queryKey: [name], refetchType: "none" });
      }
    },
    [client],
  );
  useFrames(
    ({ type, data }) => {
      const isChange = type === "event" || type === "reset" || (type === "changed" && (data as { part: string }).part === "chats");
      // A status frame starts each stream. Earlier messages were not reported, so the chats are refetched.
      if (!isChange && !(type === "status" && wasAway.current !== false)) return;
      if (wasAway.current === true) onBack();
      wasAway.current = false;
      again();
    },
    (state) => {
      if (state === "lost" || state === "asleep") wasAway.current = true;
    },
  );
}
