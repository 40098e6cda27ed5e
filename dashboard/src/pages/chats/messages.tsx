// A chat's messages, oldest first, with day headings and a marker at the first new one.
import { ArrowDown } from "lucide-react";
import { Fragment, Suspense, type ReactNode, useState } from "react";
import { withAlbums } from "../../domain/messages/albums.ts";
import { dayName, firstUnread } from "../../domain/chats.ts";
import { dateFormat } from "../../domain/formats.ts";
import { IconButton } from "../../ui/button.tsx";
import { useNow } from "../../ui/clock.ts";
import { NearEdge } from "../../ui/near-edge.tsx";
import { CHATS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { locale, useLanguage } from "../../texts/language.ts";
import { lazyPart } from "../../ui/loading/lazy-part.tsx";
import { Grows } from "../message-content/grows.ts";
import { Bubble } from "./message.tsx";
import type { Older } from "./jump.tsx";
import type { Message } from "./reads.ts";
import type { Shown } from "./outgoing-bubble.ts";
import { usePlace } from "./use-place.ts";

const Jump = lazyPart(() => import("./jump.tsx").then(({ Jump: component }) => component));

type MessagesProps = {
  messages: readonly Shown[];
  older: Older;
  unread: number;
  id: string;
  mayWrite: boolean;
  onReply: (message: Message) => void;
  /** The id of the message to scroll to, or null once it has been shown. */
  wanted: string | null;
  onShown: () => void;
  onJump: (messageId: string) => void;
  /** Renders what is shown below a text that is not stored. */
  below: (message: Shown) => ReactNode;
  /** Content that is shown below the messages. */
  foot: ReactNode;
};

export function Messages({ messages, older, unread, id, mayWrite, onReply, wanted, onShown, onJump, below, foot }: MessagesProps) {
  const texts = useTexts(CHATS);
  const language = useLanguage();
  const today = useNow(60_000);
  const stored = messages.filter(({ outgoing }) => outgoing === undefined);
  const firstNew = useFirstUnread(stored, unread);
  const { box, mark, isAway, onScroll, toNewest, stay, grows } = usePlace(messages, firstNew);
  /** Photos that are not shown in an album. */
  const [apart, setApart] = useState<ReadonlySet<string>>(new Set());
  if (wanted !== null && !apart.has(wanted)) setApart(new Set(apart).add(wanted));
  const newestId = stored.at(-1)?.message_id;
  // The last message that was visible at the bottom. The button shows the number of later ones.
  const [seen, setSeen] = useState(newestId);
  if (!isAway && seen !== newestId) setSeen(newestId);
  const takeApart = (album: readonly Shown[]) => {
    grows();
    setApart(new Set([...apart, ...album.map(({ message_id }) => message_id)]));
    const first = album[0]?.message_id ?? "";
    // The menu that was used is gone by then.
    requestAnimationFrame(() =>
      box.current?.querySelector<HTMLElement>(`[data-message="${CSS.escape(first)}"]`)?.focus({ preventScroll: true }),
    );
  };
  const day = dateFormat(locale(language), { dateStyle: "long" });
  const dayOf = ({ at }: Message) => {
    const name = dayName(Date.parse(at), today);
    return name === null ? day.format(new Date(at)) : texts[name];
  };
  const seenAt = stored.findIndex(({ message_id }) => message_id === seen);
  const later = isAway && seenAt >= 0 ? stored.length - 1 - seenAt : 0;
  return (
    <div className="relative flex min-h-0 grow flex-col">
      {/* Focusable, so that it can be scrolled by keyboard. */}
      <div
        ref={box}
        role="log"
        aria-label={texts.thread}
        tabIndex={0}
        onScroll={onScroll}
        className="grid min-h-0 grow grid-cols-[minmax(0,1fr)] content-start overflow-y-auto overscroll-contain bg-ground px-3 py-3 focus-visible:-outline-offset-2"
      >
        <div className="grid grid-cols-[minmax(0,1fr)] gap-1.5">
          {older.hasNextPage && <NearEdge label={texts.older} more={older} />}
          {messages.length === 0 && <p className="m-4 justify-self-center text-soft">{texts.empty}</p>}
          <Grows value={grows}>
            {days(messages, dayOf).map(({ key, name, messages: ofDay }) => (
              <section key={key} aria-label={name} className="grid grid-cols-[minmax(0,1fr)] gap-1.5">
                <p className="day pointer-events-none sticky top-0 z-[1] my-1 justify-self-center rounded-full bg-tint px-3 py-0.5 text-sm text-soft">
                  {name}
                </p>
                {withAlbums(ofDay, firstNew).flatMap((run) => {
                  const isAlbum = run.length > 1 && !run.some(({ message_id }) => apart.has(message_id));
                  return run.slice(0, isAlbum ? 1 : run.length).map((message) => (
                    <Fragment key={message.message_id}>
                      {message.message_id === firstNew && (
                        <p ref={mark} className="my-1 border-t border-accent pt-1 text-center text-sm font-semibold text-accent">
                          {texts.newMessages(unread)}
                        </p>
                      )}
                      <Bubble
                        message={message}
                        {...(isAlbum && { album: run, onApart: () => takeApart(run) })}
                        id={id}
                        mayWrite={mayWrite && !message.outgoing}
                        onReply={onReply}
                        onJump={onJump}
                      />
                      {below(message)}
                    </Fragment>
                  ));
                })}
              </section>
            ))}
          </Grows>
          {foot}
        </div>
      </div>
      {wanted !== null && (
        <Suspense>
          <Jump box={box} wanted={wanted} older={older} leave={stay} onShown={onShown} />
        </Suspense>
      )}
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

type Day = { key: string; date: string; name: string; messages: Shown[] };

/**
 * Each day is a section, so that the next day's heading pushes the previous one away from the top. Its key stays the same when its oldest
 * message drops out, or at midnight.
 */
function days(messages: readonly Shown[], nameOf: (message: Message) => string): Day[] {
  const found: Day[] = [];
  for (const message of messages) {
    const date = new Date(message.at).toDateString();
    const last = found.at(-1);
    if (last?.date === date) last.messages.push(message);
    else {
      // A clock that was wrong can make a date occur twice.
      const key = `${date} ${found.filter((day) => day.date === date).length}`;
      found.push({ key, date, name: nameOf(message), messages: [message] });
    }
  }
  return found;
}

/** Returns the first message that was unread when the chat was opened. It stays the same until the user answers. */
function useFirstUnread(messages: readonly Message[], unread: number): string | undefined {
  const [newest, setNewest] = useState<string>();
  const found = messages.at(-1)?.message_id;
  if (newest === undefined && unread > 0 && found !== undefined) setNewest(found);
  const end = messages.findIndex(({ message_id }) => message_id === newest) + 1;
  return messages.slice(end).some(({ from_me }) => from_me) ? undefined : firstUnread(messages.slice(0, end), unread);
}
