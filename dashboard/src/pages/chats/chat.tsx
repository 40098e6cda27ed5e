import { useQuery } from "@tanstack/react-query";
import { useLocation, useNavigate, useParams, useRouter, useSearch } from "@tanstack/react-router";
import { Suspense, useEffect, useRef, useState } from "react";
import { reading } from "../../api/client.ts";
import { blockedUntil, isNotSent, refusalOf, storedIdOf, withOutgoing } from "../../domain/messages/outgoing.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { useRole } from "../../ui/role-gate.tsx";
import { Query } from "../../ui/states.tsx";
import { toast } from "../../ui/toast.tsx";
import { useTexts } from "../../texts/catalog.ts";
import { type Attaching, withFiles } from "../composer/attaching.ts";
import { ChatHeader } from "../chat-head/chat-header.tsx";
import { Composer } from "../composer/composer.tsx";
import { sendAgain } from "./deliver-texts.ts";
import { discard, keep, useOutgoing } from "./drafts-store.ts";
import { DropArea } from "./drop-area.tsx";
import { Messages } from "./messages.tsx";
import { NotSent } from "./not-sent.tsx";
import { type Message, useChat, useMessages } from "./reads.ts";
import { Seen } from "./seen.tsx";
import { bubbleOf, type Shown } from "./outgoing-bubble.ts";
import { useWaitingIn } from "../waiting/waiting-reads.ts";
import { CHATS } from "../../texts/catalogs.ts";
import { lazyPart } from "../../ui/loading/lazy-part.tsx";

const WaitingBubbles = lazyPart(() => import("../waiting/waiting.tsx").then(({ WaitingBubbles: component }) => component));
const Photos = lazyPart(() => import("../message-content/photos.tsx").then(({ Photos: component }) => component));

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
  const [attaching, setAttaching] = useState<Attaching | null>(null);
  const attach = (files: readonly File[]) => {
    if (files.length > 0) setAttaching((before) => withFiles(before, files));
  };
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
  const reply = (message: Message) => {
    setQuoted(message);
    // At once, so that a phone shows its keyboard.
    field.current?.focus();
  };
  const thread = (
    <Messages
      messages={shown}
      older={messages}
      unread={opened?.unread_count ?? 0}
      id={id}
      mayWrite={readOnly === null}
      onReply={reply}
      wanted={messages.data === undefined ? null : at}
      onShown={() => jump(undefined)}
      onJump={jump}
      below={({ outgoing: text }) =>
        text !== undefined &&
        isNotSent(text) && (
          <NotSent
            text={text.text}
            refused={refusalOf(text)}
            blockedUntil={blockedUntil(outgoing)}
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
    <DropArea onFiles={readOnly === "viewer" ? null : attach}>
      <ChatHeader id={id} chatId={chatId} onJump={jump} />
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
          attaching={attaching}
          onAttach={setAttaching}
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
            onReply={readOnly === null ? reply : null}
          />
        </Suspense>
      )}
    </DropArea>
  );
}

/** The reason why messages cannot be sent at once, or null. If the number is offline, they can still wait for the connection. */
function useReadOnly(id: string): "viewer" | "offline" | null {
  const { role } = useRole();
  const { data } = useQuery(reading("GET /connections/{id}", { id }));
  if (role === "viewer") return "viewer";
  return data?.data.status === "connected" ? null : "offline";
}

/** The chat as it was when it was opened. Opening marks it as read, so later reads return no unread messages. */
function useChatAtOpen(id: string, chatId: string) {
  const { chat, isStale } = useChat(id, chatId);
  const [first, setFirst] = useState<typeof chat>(null);
  if (first === null && !isStale && chat !== null) setFirst(chat);
  return first;
}
