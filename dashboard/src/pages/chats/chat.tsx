import { dateFormat } from "../../domain/formats.ts";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { ArrowDown, ArrowLeft } from "lucide-react";
import { Fragment, useEffect, useLayoutEffect, useRef, useState } from "react";
import { api, reading } from "../../api/client.ts";
import { chatTitle, dayName, firstUnread, phoneOfChat } from "../../domain/chats.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { ButtonLink, IconButton } from "../../ui/button.tsx";
import { PageTitle } from "../../ui/heading.tsx";
import { NearEdge } from "../../ui/near-edge.tsx";
import { useNow } from "../../ui/clock.ts";
import { PhoneNumber } from "../../ui/phone.tsx";
import { useRole } from "../../ui/role-gate.tsx";
import { Query } from "../../ui/states.tsx";
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
  const unread = useUnreadAtOpen(id, chatId);
  // Keeps the composer and its text if the connection drops while someone is writing.
  const [wasOpen, setWasOpen] = useState(readOnly === null);
  if (readOnly === null && !wasOpen) setWasOpen(true);
  return (
    <section className="flex h-full min-w-0 flex-col bg-surface">
      <Header id={id} chatId={chatId} />
      <div className="flex min-h-0 grow flex-col">
        <Query result={{ ...messages, isPlaceholderData: false }} lines={5}>
          {({ pages }) => (
            <Messages
              messages={pages.flatMap(({ data }) => data).toReversed()}
              older={messages}
              unread={unread}
              id={id}
              mayWrite={readOnly === null}
              onReply={setQuoted}
            />
          )}
        </Query>
      </div>
      {readOnly !== null && (
        <div role="status" className="flex shrink-0 flex-wrap items-center justify-between gap-3 border-t border-line px-4 py-3">
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

/** Returns null when the chat has no messages or is not loaded yet. */
function useChat(id: string, chatId: string) {
  const chat = useQuery(reading("GET /connections/{id}/chats/{chat_id}", { id, chat_id: chatId }));
  return chat.data?.data?.chat_id === chatId ? chat.data.data : null;
}

/** Number of unread messages when the chat was opened. Later reads of the chat return 0, because it was marked as read. */
function useUnreadAtOpen(id: string, chatId: string): number {
  const { data, isStale } = useQuery(reading("GET /connections/{id}/chats/{chat_id}", { id, chat_id: chatId }));
  const [first, setFirst] = useState<number | null>(null);
  if (first === null && !isStale && data?.data?.chat_id === chatId) setFirst(data.data.unread_count);
  return first ?? 0;
}

function Header({ id, chatId }: { id: string; chatId: string }) {
  const texts = useTexts(CHATS);
  const phone = phoneOfChat(chatId);
  const chat = useChat(id, chatId);
  const kind = chatId.endsWith("@g.us") ? "group" : chatId.endsWith("@newsletter") ? "channel" : "direct";
  const title = chatTitle({ kind, name: chat?.name ?? null, phone: chat?.phone ?? phone }, texts.hidden);
  const digits = chat?.phone ?? phone;
  return (
    <header className="flex shrink-0 items-center gap-3 border-b border-line px-3 py-2 max-[899px]:gap-2 max-[899px]:px-1 max-[899px]:py-1">
      <Link
        to="/connections/$id/chats"
        params={{ id }}
        search={({ q }) => (q === undefined ? {} : { q })}
        aria-label={texts.back}
        className="grid size-11 shrink-0 place-items-center rounded-md hover:bg-tint min-[900px]:hidden"
      >
        <ArrowLeft size={18} aria-hidden />
      </Link>
      <Avatar name={chat?.name ?? null} group={kind !== "direct"} small />
      <div className="private min-w-0 [&_h1]:truncate [&_h1]:text-lg [&_h1]:leading-tight">
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
  older: { hasNextPage: boolean; isFetchingNextPage: boolean; isFetchNextPageError: boolean; fetchNextPage: () => unknown };
  unread: number;
  id: string;
  mayWrite: boolean;
  onReply: (message: Message) => void;
};

const FOOT_PX = 80;
/** Height of the date heading that stays at the top. */
const DAY_PX = 40;

function Messages({ messages, older, unread, id, mayWrite, onReply }: MessagesProps) {
  const texts = useTexts(CHATS);
  const language = useLanguage();
  const today = useNow(60_000);
  const box = useRef<HTMLDivElement>(null);
  const mark = useRef<HTMLParagraphElement>(null);
  const atFoot = useRef(true);
  const placed = useRef(false);
  const [isAway, setAway] = useState(false);
  const firstNew = useFirstUnread(messages, unread);
  const newest = messages.at(-1);
  const oldest = messages[0]?.message_id;
  const before = useRef({ oldest, height: 0 });
  // The last message that was visible at the bottom. Later ones are counted on the button.
  const [seen, setSeen] = useState<string | undefined>(newest?.message_id);
  if (!isAway && seen !== newest?.message_id) setSeen(newest?.message_id);
  useLayoutEffect(() => {
    const shown = box.current;
    if (shown === null) return;
    // Keeps the scroll position when older messages load above.
    if (before.current.oldest !== oldest && !atFoot.current) shown.scrollTop += shown.scrollHeight - before.current.height;
    else if (atFoot.current) shown.scrollTop = shown.scrollHeight;
    before.current = { oldest, height: shown.scrollHeight };
  });
  // Starts at the first new message if the bottom is further down than the window's height.
  useLayoutEffect(() => {
    const [shown, line] = [box.current, mark.current];
    if (firstNew === undefined || shown === null || line === null || placed.current) return;
    placed.current = true;
    const above = line.offsetTop - DAY_PX;
    if (above >= shown.scrollTop) return;
    atFoot.current = false;
    setAway(true);
    shown.scrollTop = above;
  }, [firstNew]);
  const toNewest = () => {
    const shown = box.current;
    if (shown !== null) shown.scrollTop = shown.scrollHeight;
  };
  const day = dateFormat(locale(language), { dateStyle: "long" });
  const dayOf = ({ at }: Message) => {
    const name = dayName(Date.parse(at), today);
    return name === null ? day.format(new Date(at)) : texts[name];
  };
  const later = isAway ? messages.slice(messages.findIndex(({ message_id }) => message_id === seen) + 1).length : 0;
  return (
    <div className="relative flex min-h-0 grow flex-col">
      {/* Focusable, so that it can be scrolled by keyboard. */}
      <div
        ref={box}
        role="log"
        aria-label={texts.thread}
        tabIndex={0}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          atFoot.current = scrollHeight - scrollTop - clientHeight < FOOT_PX;
          setAway(!atFoot.current);
        }}
        // Scrolls again when an image loads, because until then it has no height.
        onLoadCapture={({ currentTarget }) => {
          if (atFoot.current) currentTarget.scrollTop = currentTarget.scrollHeight;
        }}
        className="grid min-h-0 grow grid-cols-[minmax(0,1fr)] content-start gap-1.5 overflow-y-auto overscroll-contain bg-ground px-3 py-3 [overflow-anchor:none] focus-visible:-outline-offset-2"
      >
        {older.hasNextPage && <NearEdge label={texts.older} more={older} />}
        {messages.length === 0 && <p className="m-4 justify-self-center text-soft">{texts.empty}</p>}
        {days(messages, dayOf).map(({ day: name, messages: ofDay }) => (
          <section key={ofDay[0]?.message_id} aria-label={name} className="grid grid-cols-[minmax(0,1fr)] gap-1.5">
            <p className="sticky top-0 z-[1] my-1 justify-self-center rounded-full bg-tint px-3 py-0.5 text-sm text-soft">{name}</p>
            {ofDay.map((message) => (
              <Fragment key={message.message_id}>
                {message.message_id === firstNew && (
                  <p ref={mark} className="my-1 border-t border-accent pt-1 text-center text-sm font-semibold text-accent">
                    {texts.newMessages(unread)}
                  </p>
                )}
                <Bubble message={message} id={id} mayWrite={mayWrite} onReply={onReply} />
              </Fragment>
            ))}
          </section>
        ))}
      </div>
      {isAway && (
        <span className="absolute right-4 bottom-3 flex items-center gap-2">
          {later > 0 && (
            <span className="rounded-full bg-accent px-2 text-sm font-semibold text-on-accent">{texts.newMessages(later)}</span>
          )}
          <IconButton label={texts.toNewest} icon={ArrowDown} kind="plain" className="!rounded-full shadow-float" onClick={toNewest} />
        </span>
      )}
    </div>
  );
}

/** Each day is a section, so that the next day's heading pushes the previous one away from the top. */
function days(messages: readonly Message[], dayOf: (message: Message) => string): { day: string; messages: Message[] }[] {
  const found: { day: string; messages: Message[] }[] = [];
  for (const message of messages) {
    const day = dayOf(message);
    if (found.at(-1)?.day === day) found.at(-1)?.messages.push(message);
    else found.push({ day, messages: [message] });
  }
  return found;
}

/** The first message that was unread when the chat was opened. Stays the same when more messages arrive. */
function useFirstUnread(messages: readonly Message[], unread: number): string | undefined {
  const [newest, setNewest] = useState<string>();
  const found = messages.at(-1)?.message_id;
  if (newest === undefined && unread > 0 && found !== undefined) setNewest(found);
  return firstUnread(messages.slice(0, messages.findIndex(({ message_id }) => message_id === newest) + 1), unread);
}
