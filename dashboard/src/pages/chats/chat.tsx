import { dateFormat } from "../../domain/formats.ts";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import { Fragment, useEffect, useLayoutEffect, useRef, useState } from "react";
import { api, reading } from "../../api/client.ts";
import { chatTitle, phoneOfChat } from "../../domain/chats.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { PageTitle } from "../../ui/heading.tsx";
import { PhoneNumber } from "../../ui/phone.tsx";
import { useRole } from "../../ui/role-gate.tsx";
import { Empty, Query } from "../../ui/states.tsx";
import { locale, useLanguage } from "../../texts/language.ts";
import { useTexts } from "../../texts/catalog.ts";
import { Composer } from "./composer.tsx";
import { Bubble } from "./message.tsx";
import { type Message, refreshChats, useMessages } from "./reads.ts";
import { CHATS } from "../../texts/catalogs.ts";

export function Chat() {
  const { id, chat: chatId } = useParams({ from: "/in/connections/$id/chats/$chat" });
  // The key resets all state when another chat is opened.
  return <Thread key={`${id} ${chatId}`} id={id} chatId={chatId} />;
}

function Thread({ id, chatId }: { id: string; chatId: string }) {
  const texts = useTexts(CHATS);
  const messages = useMessages(id, chatId);
  const [quoted, setQuoted] = useState<Message | null>(null);
  const readOnly = useReadOnly(id);
  // Keeps the composer and its text if the connection drops while someone is writing.
  const [wasOpen, setWasOpen] = useState(readOnly === null);
  if (readOnly === null && !wasOpen) setWasOpen(true);
  return (
    <section className="flex min-w-0 flex-col rounded-md border border-line bg-surface min-[900px]:h-[calc(100dvh-7rem)]">
      <Header id={id} chatId={chatId} />
      <Query result={{ ...messages, isPlaceholderData: false }} lines={5}>
        {({ pages }) => (
          <Messages
            messages={pages.flatMap(({ data }) => data).toReversed()}
            older={messages}
            id={id}
            mayWrite={readOnly === null}
            onReply={setQuoted}
          />
        )}
      </Query>
      {readOnly !== null && (
        <div role="status" className="flex flex-wrap items-center justify-between gap-3 border-t border-line px-4 py-3">
          <p>
            <span className="font-semibold">{texts.readOnly}. </span>
            {readOnly === "viewer" ? texts.readOnlyViewer : texts.readOnlyOffline}
          </p>
          {readOnly === "offline" && (
            <ButtonLink to="/connections/$id" params={{ id }}>
              {texts.toOverview}
            </ButtonLink>
          )}
        </div>
      )}
      {readOnly !== "viewer" && wasOpen && (
        <Composer id={id} chatId={chatId} paused={readOnly !== null} quoted={quoted} onUnquote={() => setQuoted(null)} />
      )}
      <Seen id={id} chatId={chatId} mayWrite={readOnly === null} />
    </section>
  );
}

/** The reason why the chat is read-only; null if it is not. */
function useReadOnly(id: string): "viewer" | "offline" | null {
  const { role } = useRole();
  const { data } = useQuery(reading("GET /connections/{id}", { id }));
  if (role === "viewer") return "viewer";
  return data?.data.status === "connected" ? null : "offline";
}

/** Null when the chat has no messages or is not loaded yet. */
function useChat(id: string, chatId: string) {
  const chat = useQuery(reading("GET /connections/{id}/chats/{chat_id}", { id, chat_id: chatId }));
  return chat.data?.data?.chat_id === chatId ? chat.data.data : null;
}

function Header({ id, chatId }: { id: string; chatId: string }) {
  const texts = useTexts(CHATS);
  const phone = phoneOfChat(chatId);
  const chat = useChat(id, chatId);
  const kind = chatId.endsWith("@g.us") ? "group" : chatId.endsWith("@newsletter") ? "channel" : "direct";
  const title = chatTitle({ kind, name: chat?.name ?? null, phone: chat?.phone ?? phone }, texts.hidden);
  const digits = chat?.phone ?? phone;
  return (
    <header className="flex items-center gap-3 border-b border-line px-3 py-2">
      <Link
        to="/connections/$id/chats"
        params={{ id }}
        search={({ q }) => (q === undefined ? {} : { q })}
        aria-label={texts.back}
        className="grid size-11 shrink-0 place-items-center rounded-md hover:bg-tint min-[900px]:hidden"
      >
        <ArrowLeft size={18} aria-hidden />
      </Link>
      <div className="private min-w-0 [&_h1]:truncate [&_h1]:text-lg">
        <PageTitle>{title}</PageTitle>
        {digits !== null && chat?.name != null && (
          <p className="text-sm text-soft">
            <PhoneNumber digits={digits} />
          </p>
        )}
        {digits === null && kind === "direct" && <p className="text-sm text-soft">{texts.hiddenText}</p>}
      </div>
    </header>
  );
}

function Seen({ id, chatId, mayWrite }: { id: string; chatId: string; mayWrite: boolean }) {
  const client = useQueryClient();
  const unread = useChat(id, chatId)?.unread_count ?? 0;
  const unseen = mayWrite ? unread : 0;
  useEffect(() => {
    if (unseen === 0) return undefined;
    const look = () => {
      if (document.visibilityState === "hidden") return;
      document.removeEventListener("visibilitychange", look);
      // A failure is retried with the next message.
      api("POST /connections/{id}/chats/{chat_id}/seen", { id, chat_id: chatId })
        .then(() => refreshChats(client))
        .catch(() => undefined);
    };
    document.addEventListener("visibilitychange", look);
    look();
    return () => document.removeEventListener("visibilitychange", look);
  }, [unseen, id, chatId, client]);
  return null;
}

type MessagesProps = {
  messages: readonly Message[];
  older: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
  id: string;
  mayWrite: boolean;
  onReply: (message: Message) => void;
};

function Messages({ messages, older, id, mayWrite, onReply }: MessagesProps) {
  const texts = useTexts(CHATS);
  const language = useLanguage();
  const box = useRef<HTMLDivElement>(null);
  const atFoot = useRef(true);
  const oldest = messages[0]?.message_id;
  const before = useRef({ oldest, height: 0 });
  useLayoutEffect(() => {
    const shown = box.current;
    if (shown === null) return;
    // Keeps the scroll position when older messages load above.
    if (before.current.oldest !== oldest && !atFoot.current) shown.scrollTop += shown.scrollHeight - before.current.height;
    else if (atFoot.current) shown.scrollTop = shown.scrollHeight;
    before.current = { oldest, height: shown.scrollHeight };
  });
  const day = dateFormat(locale(language), { dateStyle: "long" });
  return (
    // Focusable, so that it can be scrolled by keyboard.
    <div
      ref={box}
      role="log"
      aria-label={texts.thread}
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        atFoot.current = scrollHeight - scrollTop - clientHeight < 80;
      }}
      // Scrolls again when an image loads, because it has no height before.
      onLoadCapture={({ currentTarget }) => {
        if (atFoot.current) currentTarget.scrollTop = currentTarget.scrollHeight;
      }}
      className="grid min-h-40 grow content-start gap-2 overflow-y-auto bg-ground px-3 py-3 max-[899px]:max-h-[60dvh]"
    >
      {older.hasNextPage && (
        <Button className="justify-self-center" busy={older.isFetchingNextPage} onClick={() => void older.fetchNextPage()}>
          {texts.older}
        </Button>
      )}
      {messages.length === 0 && <Empty title={texts.empty} />}
      {messages.map((message, index) => {
        const date = day.format(new Date(message.at));
        const earlier = messages[index - 1];
        return (
          <Fragment key={message.message_id}>
            {(earlier === undefined || day.format(new Date(earlier.at)) !== date) && (
              <p className="justify-self-center text-sm text-soft">{date}</p>
            )}
            <Bubble message={message} id={id} mayWrite={mayWrite} onReply={onReply} />
          </Fragment>
        );
      })}
    </div>
  );
}
