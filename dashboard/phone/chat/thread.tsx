import { groupedPhone } from "../../src/domain/phone.ts";
import { useQuery } from "@tanstack/react-query";
import { Info, Phone as Receiver, Video } from "lucide-react";
import { type DragEvent, Fragment, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { ChatView, PhoneView, PresenceDocument, ShownMessage } from "test-network/phone/views.ts";
import { to } from "../network/address.ts";
import { change, reading } from "../network/control.ts";
import { digitsOf, isGroup, isPerson, useNames, useTimes } from "../network/names.ts";
import { useAction } from "../network/action.ts";
import { Button, IconButton } from "../../src/ui/button.tsx";
import { Avatar, IconLink, Nothing, ScreenBar } from "../widgets/pieces.tsx";
import { type PhoneTexts, usePhoneTexts } from "../texts/texts.ts";
import { Bubble } from "./bubble.tsx";
import { Composer, type Intent } from "./composer.tsx";
import { MessageActions } from "./message-actions.tsx";
import { SendFile } from "./send-file.tsx";

const PAGE = 100;

export function Thread({ view, chatId }: { view: PhoneView; chatId: string }) {
  const { phone } = view;
  const w = usePhoneTexts();
  const act = useAction();
  const nameOf = useNames(phone);
  const [limit, setLimit] = useState(PAGE);
  const { data: messages } = useQuery(reading(phone, "/inbox?chat_id={chat}&limit={limit}", { chat: chatId, limit }));
  const { data: chat } = useQuery(reading(phone, "/chats/{chat}", { chat: chatId }));
  const { data: groups } = useQuery({ ...reading(phone, "/groups"), enabled: isGroup(chatId) });
  const { data: presence } = useQuery({
    ...reading(phone, "/presence?chat_id={chat}", { chat: chatId }),
    enabled: isPerson(chatId) || isGroup(chatId),
  });
  const [acting, setActing] = useState<ShownMessage | null>(null);
  const [intent, setIntent] = useState<Intent | null>(null);
  const [file, setFile] = useState<File | null>(null);
  useReading(view, chatId, messages ?? []);

  const group = groups?.find(({ group_id }) => group_id === chatId);
  const digits = digitsOf(chatId);
  const title = chatId === "status@broadcast" ? w.chats.status : isPerson(chatId) ? nameOf(digits) : (chat?.title ?? "");
  const mayWrite = isPerson(chatId) || (isGroup(chatId) && group !== undefined);
  const under = group ? w.thread.members(group.participants.length) : isPerson(chatId) ? groupedPhone(digits) : "";
  const call = (video: boolean): void => void act(() => change(phone, "POST", "/call", { to: digits, video }));
  const drop = (event: DragEvent): void => {
    const [dropped] = event.dataTransfer.files;
    if (!mayWrite || dropped === undefined) return;
    event.preventDefault();
    setFile(dropped);
  };
  return (
    <div className="flex min-h-0 flex-1 flex-col" onDragOver={(event) => event.preventDefault()} onDrop={drop}>
      <ScreenBar
        title={title}
        back={to(phone)}
        lead={<Avatar phone={phone} peer={chatId} title={title} picture={chat?.picture ?? null} size="size-9 text-sm" />}
        under={<Presence under={under} presence={presence} nameOf={nameOf} isShared={isGroup(chatId)} />}
      >
        {isPerson(chatId) && (
          <>
            <IconButton icon={Video} label={w.thread.videoCall} onClick={() => call(true)} />
            <IconButton icon={Receiver} label={w.thread.call} onClick={() => call(false)} />
          </>
        )}
        {isGroup(chatId) && <IconLink href={to(phone, "group", chatId)} icon={Info} label={w.groups.info} />}
      </ScreenBar>
      <Messages
        phone={phone}
        messages={messages}
        chatId={chatId}
        nameOf={nameOf}
        hasEarlier={messages?.length === limit}
        onEarlier={() => setLimit(limit + PAGE)}
        onActions={mayWrite ? setActing : null}
      />
      {mayWrite ? (
        <Composer
          // An edit starts with the old text. A reply keeps the text that was already typed.
          key={intent?.kind === "edit" ? intent.message.message_id : ""}
          view={view}
          chatId={chatId}
          intent={intent}
          onIntentDone={() => setIntent(null)}
          onFile={setFile}
          nameOf={nameOf}
        />
      ) : (
        <p className="border-t border-line bg-surface p-4 text-center text-sm text-soft">
          {isGroup(chatId) ? groups !== undefined && w.thread.left : w.thread.feed}
        </p>
      )}
      {acting !== null && (
        <MessageActions
          phone={phone}
          message={acting}
          isAdmin={isAdminIn(group, phone)}
          onIntent={setIntent}
          onClose={() => setActing(null)}
        />
      )}
      {file !== null && <SendFile phone={phone} chatId={chatId} file={file} quoted={null} onClose={() => setFile(null)} />}
    </div>
  );
}

function isAdminIn(group: { participants: ReadonlyArray<{ phone: string; role: string }> } | undefined, phone: string): boolean {
  return group?.participants.some((one) => one.phone === phone && one.role !== "member") === true;
}

function Presence({ under, presence, nameOf, isShared }: PresenceProps) {
  const w = usePhoneTexts();
  const { brief } = useTimes();
  return (
    <p role="status" className="truncate text-sm text-soft">
      <span className="tabular-nums">{under}</span>
      {presence !== undefined && presenceText(w, presence, nameOf, isShared, brief, under === "")}
    </p>
  );
}

type PresenceProps = { under: string; presence: PresenceDocument | undefined; nameOf: (digits: string) => string; isShared: boolean };

function presenceText(
  w: PhoneTexts,
  { doing, online, last_seen }: PresenceDocument,
  nameOf: (digits: string) => string,
  isShared: boolean,
  brief: (seconds: number) => string,
  isFirst: boolean,
): string {
  const [who, what] = Object.entries(doing).find(([, state]) => state !== "paused") ?? [];
  const said = (): string => {
    if (who !== undefined && what === "recording") return w.thread.recordingVoice;
    if (who !== undefined) return isShared ? w.thread.typingWho(nameOf(who)) : w.thread.typing;
    if (isShared) return "";
    if (online === true) return w.thread.online;
    return last_seen === null ? "" : w.thread.lastSeen(brief(last_seen));
  };
  const text = said();
  return text === "" || isFirst ? text : ` · ${text}`;
}

type MessagesOf = {
  phone: string;
  messages: readonly ShownMessage[] | undefined;
  chatId: ChatView["chat_id"];
  nameOf: (digits: string) => string;
  hasEarlier: boolean;
  onEarlier: () => void;
  onActions: ((message: ShownMessage) => void) | null;
};

function Messages({ phone, messages, chatId, nameOf, hasEarlier, onEarlier, onActions }: MessagesOf) {
  const w = usePhoneTexts();
  const { day } = useTimes();
  const frame = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const newest = messages?.at(-1)?.message_id;
  const isOwn = messages?.at(-1)?.from_me === true;
  // New messages scroll into view, unless the reader has scrolled up.
  useLayoutEffect(() => {
    if (newest !== undefined && (isAtEnd.current || isOwn)) frame.current?.scrollTo({ top: frame.current.scrollHeight });
  }, [newest, isOwn]);
  const byId = new Map(messages?.map((message) => [message.message_id, message]));
  let shownDay = "";
  return (
    <div
      ref={frame}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < 80;
      }}
      // Scrolls to the end again once an image has loaded, because the thread is then taller.
      onLoadCapture={() => isAtEnd.current && frame.current?.scrollTo({ top: frame.current.scrollHeight })}
      tabIndex={0}
      role="region"
      aria-label={w.thread.messages}
      className="min-h-0 flex-1 overflow-y-auto bg-tint px-3 py-3"
    >
      {hasEarlier && (
        <div className="mb-3 text-center">
          <Button onClick={onEarlier}>{w.thread.earlier}</Button>
        </div>
      )}
      {messages?.length === 0 && <Nothing text={w.thread.none} />}
      <ul className="flex flex-col gap-1.5">
        {messages?.map((message) => {
          const today = day(message.timestamp);
          const isNewDay = today !== shownDay;
          shownDay = today;
          return (
            <Fragment key={message.message_id}>
              {isNewDay && <li className="my-2 self-center rounded-full bg-surface px-3 py-0.5 text-sm text-soft">{today}</li>}
              <Bubble
                phone={phone}
                message={message}
                author={isGroup(chatId) || !isPerson(chatId) ? nameOf(message.from) : null}
                quoted={message.quoted_id === null ? null : (byId.get(message.quoted_id) ?? "gone")}
                nameOf={nameOf}
                onActions={onActions}
              />
            </Fragment>
          );
        })}
      </ul>
    </div>
  );
}

/** Marks the open chat as read while the page is visible and the phone is online. */
function useReading({ phone, options: { online } }: PhoneView, chatId: string, messages: readonly ShownMessage[]): void {
  const unread = messages.filter((message) => !message.from_me && !message.read).length;
  useEffect(() => {
    if (unread === 0 || !online) return undefined;
    const read = (): void => {
      if (document.visibilityState === "visible") void change(phone, "POST", "/read", { chat_id: chatId }).catch(() => undefined);
    };
    read();
    document.addEventListener("visibilitychange", read);
    return () => document.removeEventListener("visibilitychange", read);
  }, [phone, chatId, unread, online]);
}
