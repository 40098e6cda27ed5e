import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useLocation, useNavigate, useParams, useRouter, useSearch } from "@tanstack/react-router";
import { ArrowLeft, RotateCw, Search } from "lucide-react";
import { Suspense, useEffect, useRef, useState } from "react";
import { api, reading } from "../../api/client.ts";
import type { Refusal } from "../../api/refused.ts";
import { chatTitle, kindOfChat, phoneOfChat, storedIdOf, withOutgoing } from "../../domain/chats.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { Button, ButtonLink, IconButton } from "../../ui/button.tsx";
import { PageTitle } from "../../ui/heading.tsx";
import { PhoneNumber } from "../../ui/phone.tsx";
import { useRole } from "../../ui/role-gate.tsx";
import { Query } from "../../ui/states.tsx";
import { Help } from "../../ui/technical.tsx";
import { toast } from "../../ui/toast.tsx";
import { useTexts } from "../../texts/catalog.ts";
import { Composer, sendable } from "./composer.tsx";
import { Messages } from "./messages.tsx";
import { type Message, refreshChats, useMessages } from "./reads.ts";
import { bubbleOf, discard, keep, sendAgain, type Shown, useOutgoing } from "./unsent.ts";
import { useWaitingIn } from "../waiting/waiting-reads.ts";
import { CHATS } from "../../texts/catalogs.ts";
import { lazyPart } from "../../ui/loading/lazy-part.tsx";

const WaitingBubbles = lazyPart(() => import("../waiting/waiting.tsx").then(({ WaitingBubbles: component }) => component));
const Photos = lazyPart(() => import("../message-content/photos.tsx").then(({ Photos: component }) => component));
const LookUp = lazyPart(() => import("./look-up.tsx").then(({ LookUp: component }) => component));

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
  const [dropped, setDropped] = useState<readonly File[]>([]);
  const [isOver, setOver] = useState(false);
  const { at = null } = useSearch({ from: "/in/connections/$id/chats/$chat" });
  const navigate = useNavigate();
  const jump = (messageId: string | undefined) =>
    void navigate({
      to: ".",
      search: ({ at: _at, ...rest }) => (messageId === undefined ? rest : { ...rest, at: messageId }),
      replace: true,
      // Otherwise, the router would scroll back to where the reader was before the jump.
      resetScroll: false,
    });
  // The open photo is part of the history, so that Back closes it.
  const photo = useLocation({ select: ({ state }) => state.photo });
  const { history } = useRouter();
  const opened = useChatAtOpen(id, chatId);
  const field = useRef<HTMLTextAreaElement>(null);
  const outgoing = useOutgoing(id, chatId);
  const waiting = useWaitingIn(id, chatId);
  const pages = messages.data?.pages ?? [];
  const stored: Shown[] = pages.flatMap(({ data }) => data).toReversed();
  const { shown, settled } = withOutgoing(stored, outgoing, {
    askedAt: pages[0]?.askedAt ?? 0,
    waiting,
    bubbleOf: (each) => bubbleOf(each, chatId),
  });
  useEffect(() => {
    for (const each of settled) discard(id, chatId, each);
  });
  const thread = (
    <Messages
      messages={shown}
      older={messages}
      unread={opened?.unread_count ?? 0}
      id={id}
      mayWrite={readOnly === null}
      onReply={setQuoted}
      wanted={messages.data === undefined ? null : at}
      onShown={() => jump(undefined)}
      onJump={jump}
      below={({ outgoing: text }) =>
        text?.refused && (
          <NotSent
            text={text.text}
            refused={text.refused}
            isStored={stored.some(({ message_id }) => message_id === storedIdOf(text))}
            onAgain={() => {
              sendAgain(id, chatId, text);
              field.current?.focus();
            }}
            onDiscard={(isGone) => {
              discard(id, chatId, text);
              if (isGone) toast(texts.discarded, { action: { label: texts.undo, onSelect: () => keep(id, chatId, text) } });
              field.current?.focus();
            }}
          />
        )
      }
      foot={
        <Suspense>
          <WaitingBubbles id={id} chatId={chatId} mayChange={readOnly !== "viewer"} />
        </Suspense>
      }
    />
  );
  return (
    <section
      className="relative flex h-full min-w-0 flex-col bg-surface"
      onDragOver={(event) => {
        if (readOnly === "viewer" || !event.dataTransfer.types.includes("Files")) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={({ currentTarget, relatedTarget }) => {
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setOver(false);
      }}
      onDrop={(event) => {
        setOver(false);
        const files = readOnly === "viewer" ? [] : sendable([...event.dataTransfer.files], texts.tooLarge);
        if (event.dataTransfer.types.includes("Files")) event.preventDefault();
        setDropped((before) => [...before, ...files]);
      }}
    >
      {isOver && (
        <p className="pointer-events-none absolute inset-2 z-[2] grid place-items-center rounded-lg border-2 border-dashed border-accent bg-own text-lg font-semibold">
          {texts.drop}
        </p>
      )}
      <Header id={id} chatId={chatId} onJump={jump} />
      <div className="flex min-h-0 grow flex-col">
        <Query result={{ ...messages, isPlaceholderData: false }} lines={5}>
          {() => thread}
        </Query>
        {/* Shows new texts even if the messages cannot load. */}
        {messages.data === undefined && shown.length > 0 && thread}
      </div>
      {readOnly !== null && (
        <div role="status" className="flex shrink-0 flex-wrap items-center justify-between gap-3 border-t border-line px-4 py-3">
          <p>
            <span className="font-semibold">{readOnly === "viewer" ? texts.readOnly : texts.offline}. </span>
            {readOnly === "viewer" ? texts.readOnlyViewer : texts.offlineText}
          </p>
          {readOnly === "offline" && (
            <ButtonLink to="/connections/$id" params={{ id }}>
              {texts.toOverview}
            </ButtonLink>
          )}
        </div>
      )}
      {readOnly !== "viewer" && (
        <Composer
          id={id}
          chatId={chatId}
          field={field}
          paused={readOnly !== null}
          quoted={quoted}
          onUnquote={() => setQuoted(null)}
          dropped={dropped}
          onFiles={setDropped}
        />
      )}
      <Seen id={id} chatId={chatId} mayWrite={readOnly === null} wasMarked={opened?.marked_unread} />
      {photo !== undefined && (
        <Suspense>
          <Photos
            id={id}
            messages={shown}
            shown={photo}
            onShow={(next) => void navigate({ to: ".", search: true, state: { photo: next }, replace: true, resetScroll: false })}
            onClose={() => history.back()}
          />
        </Suspense>
      )}
    </section>
  );
}

type NotSentProps = { text: string; refused: Refusal; isStored: boolean; onAgain: () => void; onDiscard: (isGone: boolean) => void };

/** Shown below the bubble of a refused text. It is in this file, because it is also needed when the server cannot deliver other files. */
function NotSent({ text, refused, isStored, onAgain, onDiscard }: NotSentProps) {
  const texts = useTexts(CHATS);
  return (
    <div role="group" aria-label={`${texts.status.failed}: ${text.slice(0, 99)}`} className="grid max-w-[85%] gap-2 justify-self-end">
      <Help refused={refused} />
      <div className="flex flex-wrap justify-end gap-2">
        <Button icon={RotateCw} onClick={onAgain}>
          {texts.file.again}
        </Button>
        <Button onClick={() => onDiscard(!isStored)}>{isStored ? texts.dismiss : texts.discard}</Button>
      </div>
    </div>
  );
}

/** The reason why messages cannot be sent at once, or null. If the number is offline, they can still wait for the connection. */
function useReadOnly(id: string): "viewer" | "offline" | null {
  const { role } = useRole();
  const { data } = useQuery(reading("GET /connections/{id}", { id }));
  if (role === "viewer") return "viewer";
  return data?.data.status === "connected" ? null : "offline";
}

/** `chat` is null when the chat has no messages or is not loaded yet. */
function useChat(id: string, chatId: string) {
  const { data, isStale } = useQuery(reading("GET /connections/{id}/chats/{chat_id}", { id, chat_id: chatId }));
  return { chat: data?.data?.chat_id === chatId ? data.data : null, isStale };
}

/** The chat as it was when it was opened. Opening marks it as read, so later reads return no unread messages. */
function useChatAtOpen(id: string, chatId: string) {
  const { chat, isStale } = useChat(id, chatId);
  const [first, setFirst] = useState<typeof chat>(null);
  if (first === null && !isStale && chat !== null) setFirst(chat);
  return first;
}

function Header({ id, chatId, onJump }: { id: string; chatId: string; onJump: (messageId: string) => void }) {
  const texts = useTexts(CHATS);
  const phone = phoneOfChat(chatId);
  const { chat } = useChat(id, chatId);
  const kind = kindOfChat(chatId);
  const title = chatTitle({ kind, name: chat?.name ?? null, phone: chat?.phone ?? phone }, texts.hidden);
  const digits = chat?.phone ?? phone;
  const [looking, setLooking] = useState(false);
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
      <div className="private min-w-0 grow [&_h1]:truncate [&_h1]:text-lg [&_h1]:leading-tight">
        <PageTitle>{title}</PageTitle>
        {digits !== null && chat?.name != null && (
          <p className="text-sm text-soft">
            <PhoneNumber digits={digits} />
          </p>
        )}
        {digits === null && kind === "direct" && <p className="text-sm text-soft">{texts.hiddenText}</p>}
      </div>
      <IconButton label={texts.lookUp.open} icon={Search} onClick={() => setLooking(true)} />
      {looking && (
        <Suspense>
          <LookUp id={id} chatId={chatId} onJump={onJump} onClose={() => setLooking(false)} />
        </Suspense>
      )}
    </header>
  );
}

type SeenProps = { id: string; chatId: string; mayWrite: boolean; wasMarked: boolean | undefined };

/** If the phone marks this chat as unread while it is open here, the chat stays marked. */
function Seen({ id, chatId, mayWrite, wasMarked }: SeenProps) {
  const client = useQueryClient();
  const { chat } = useChat(id, chatId);
  const [isReported, setReported] = useState(false);
  const unseen = mayWrite && (chat?.unread_count || (wasMarked && !isReported));
  useEffect(() => {
    if (!unseen) return undefined;
    const look = () => {
      if (document.visibilityState === "hidden") return;
      document.removeEventListener("visibilitychange", look);
      // If this fails, the next message triggers a retry.
      api("POST /connections/{id}/chats/{chat_id}/seen", { id, chat_id: chatId })
        .then(() => {
          setReported(true);
          return refreshChats(client);
        })
        .catch(() => undefined);
    };
    document.addEventListener("visibilitychange", look);
    look();
    return () => document.removeEventListener("visibilitychange", look);
  }, [unseen, id, chatId, client]);
  return null;
}
