import { useInfiniteQuery } from "@tanstack/react-query";
import { type ReactNode } from "react";
import { api } from "../../api/client.ts";
import { CHATS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { locale, useLanguage } from "../../texts/language.ts";
import { dateFormat } from "../../domain/formats.ts";
import { useNow } from "../../ui/clock.ts";
import { NearEdge } from "../../ui/near-edge.tsx";
import { Query } from "../../ui/states.tsx";
import { dayName, typeName } from "../../domain/chats.ts";
import { plainText } from "../../domain/messages/formatted-text.ts";
import { namesIn } from "./names.ts";
import type { Message } from "./reads.ts";

const PAGE = 50;
const IN_CHAT = "GET /connections/{id}/chats/{chat_id}/messages";
const IN_ALL = "GET /connections/{id}/messages";

type Wanted = { q?: string; only?: "files" | "starred" };

/** If `chatId` is null, searches all chats, by text only. */
export function useFound(id: string, chatId: string | null, { q = "", only }: Wanted, enabled = true) {
  return useInfiniteQuery({
    queryKey: [chatId === null ? IN_ALL : IN_CHAT, { id, chat_id: chatId, q, only }] as const,
    queryFn: ({ pageParam, signal }) => {
      const page = { id, limit: PAGE, ...(pageParam === "" ? {} : { cursor: pageParam }) };
      if (chatId === null) return api(IN_ALL, { ...page, q }, { signal });
      return api(IN_CHAT, { ...page, chat_id: chatId, q, ...(only === undefined ? {} : { only }) }, { signal });
    },
    initialPageParam: "",
    getNextPageParam: ({ next_cursor }) => next_cursor,
    enabled,
  });
}

type FoundProps = {
  found: ReturnType<typeof useFound>;
  none: string;
  /** Applies to the text `none`. */
  className?: string;
  children: (messages: readonly Message[]) => ReactNode;
};

/** A page may be empty although there is a next page, so "none" appears only at the end. */
export function Found({ found, none, className = "", children }: FoundProps) {
  const texts = useTexts(CHATS);
  return (
    <Query result={{ ...found, isPlaceholderData: false }} lines={4}>
      {({ pages }) => {
        const all = pages.flatMap(({ data }) => data);
        return (
          <>
            {all.length > 0 && children(all)}
            {all.length === 0 && !found.hasNextPage && <p className={`py-2 text-soft ${className}`}>{none}</p>}
            {found.hasNextPage && <NearEdge label={texts.moreResults} more={found} />}
          </>
        );
      }}
    </Query>
  );
}

/** Returns a message's label for lists: its text, or its kind of content. */
export function useSummary(id: string) {
  const texts = useTexts(CHATS);
  const language = useLanguage();
  const now = useNow(60_000);
  const nameOf = namesIn(id, texts.you);
  const whenOf = (at: Date) => {
    const day = dayName(at.getTime(), now);
    const time = dateFormat(locale(language), { ...(day === null && { dateStyle: "short" }), timeStyle: "short" }).format(at);
    return day === "yesterday" ? `${texts.yesterday}, ${time}` : time;
  };
  return ({ text, type, media, at }: Message) => ({
    what: text === null ? (media?.filename ?? typeName(texts.types, type)) : plainText(text, nameOf),
    when: whenOf(new Date(at)),
  });
}

/** Ignores case and accents, as the search does. Every character keeps its position. */
const folded = (text: string) => text.replaceAll(/[\u0080-\uffff]/g, (each) => each.normalize("NFD").charAt(0)).toLowerCase();

/** Shows the part of the text around the first match, and highlights the match. */
export function Marked({ text, q }: { text: string; q: string }) {
  const at = folded(text).indexOf(folded(q));
  if (q === "" || at === -1) return text;
  const from = Math.max(0, at - 24);
  return (
    <>
      {from > 0 && "…"}
      {text.slice(from, at)}
      <mark className="bg-own font-semibold text-ink">{text.slice(at, at + q.length)}</mark>
      {text.slice(at + q.length)}
    </>
  );
}
