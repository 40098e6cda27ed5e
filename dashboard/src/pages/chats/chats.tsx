import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { Archive, ArrowLeft, BellOff, Clock3, type LucideIcon, MessageSquarePlus, MessagesSquare, Pin, Search } from "lucide-react";
import { type RefObject, Suspense, useDeferredValue, useEffect, useLayoutEffect, useRef, useState } from "react";
import { reading } from "../../api/client.ts";
import { chatTitle, dayName, typeName } from "../../domain/chats.ts";
import { plainText } from "../../domain/messages/formatted-text.ts";
import { isNotSent, isUncertain } from "../../domain/messages/outgoing.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { PageTitle } from "../../ui/heading.tsx";
import { NearEdge } from "../../ui/near-edge.tsx";
import { useRole } from "../../ui/role-gate.tsx";
import { Empty, Query } from "../../ui/states.tsx";
import { exact } from "../../ui/when.tsx";
import { useNow } from "../../ui/clock.ts";
import { dateFormat } from "../../domain/formats.ts";
import { locale, useLanguage } from "../../texts/language.ts";
import { useTexts } from "../../texts/catalog.ts";
import { namesIn } from "./names.ts";
import { useRecording } from "../composer/recordings.ts";
import { resume } from "./deliver-texts.ts";
import { useDraft } from "./drafts-store.ts";
import { type Chat, useChats, useLiveChats } from "./reads.ts";
import { CHATS } from "../../texts/catalogs.ts";
import { lazyPart } from "../../ui/loading/lazy-part.tsx";

const ChatMenu = lazyPart(() => import("../chat-head/chat-menu.tsx").then(({ ChatMenu: component }) => component));
const NewChat = lazyPart(() => import("./new-chat.tsx").then(({ NewChat: component }) => component));
const EveryChat = lazyPart(() => import("./every-chat.tsx").then(({ EveryChat: component }) => component));

export function Chats() {
  const texts = useTexts(CHATS);
  const { id } = useParams({ from: "/in/connections/$id/chats" });
  const { chat } = useParams({ strict: false });
  const { operatorOnly } = useRole();
  const [starting, setStarting] = useState(false);
  const { data } = useQuery(reading("GET /connections/{id}", { id }));
  const isOnline = data?.data.status === "connected";
  useLiveChats(() => resume(id, true));
  useEffect(() => {
    const again = () => resume(id);
    again();
    // Another tab may have been closed while it was sending.
    addEventListener("focus", again);
    const back = () => resume(id, true);
    addEventListener("online", back);
    return () => {
      removeEventListener("focus", again);
      removeEventListener("online", back);
    };
  }, [id]);
  return (
    <>
      <div className={`flex flex-wrap items-center justify-between gap-x-2 ${chat === undefined ? "" : "max-[899px]:hidden"}`}>
        {chat === undefined ? <PageTitle>{texts.title}</PageTitle> : <p className="text-2xl font-semibold">{texts.title}</p>}
        <div className="flex flex-wrap gap-2">
          <ButtonLink to="/connections/$id/waiting" params={{ id }} kind="quiet" className="max-sm:!left-0 max-sm:!px-1">
            <Clock3 size={16} aria-hidden className="shrink-0 max-sm:hidden" />
            {texts.later.link}
          </ButtonLink>
          <Button
            icon={MessageSquarePlus}
            why={operatorOnly ?? (isOnline ? undefined : texts.readOnlyOffline)}
            onClick={() => setStarting(true)}
          >
            <span className="max-sm:sr-only">{texts.newChat}</span>
          </Button>
        </div>
      </div>
      <div className="grid min-h-0 min-w-0 grow grid-cols-[minmax(0,1fr)] grid-rows-[minmax(0,1fr)] overflow-hidden border-line bg-surface max-[899px]:overflow-visible min-[900px]:grid-cols-[20rem_minmax(0,1fr)] min-[900px]:rounded-lg min-[900px]:border">
        <List id={id} isAside={chat !== undefined} />
        <div className={`min-h-0 min-w-0 border-line min-[900px]:border-l ${chat === undefined ? "max-[899px]:hidden" : ""}`}>
          {chat === undefined ? (
            <div className="grid h-full content-center justify-items-center bg-ground p-6 text-center text-soft">
              <MessagesSquare size={48} strokeWidth={1.25} aria-hidden />
              <p className="mt-3 text-lg font-semibold text-ink">{texts.choose}</p>
              <p>{texts.chooseText}</p>
            </div>
          ) : (
            <Outlet />
          )}
        </div>
      </div>
      {starting && (
        <Suspense>
          <NewChat id={id} onClose={() => setStarting(false)} />
        </Suspense>
      )}
    </>
  );
}

/** `isAside` means that a chat is open. On a phone it fills the whole screen. */
function List({ id, isAside }: { id: string; isAside: boolean }) {
  const texts = useTexts(CHATS);
  const { q = "" } = useSearch({ from: "/in/connections/$id/chats" });
  const navigate = useNavigate();
  const [typed, setTyped] = useState(q);
  const [before, setBefore] = useState(q);
  // The search that this field asked for. By the time it is rendered, the user may have typed on, or have deleted a letter.
  const [asked, setAsked] = useState(q);
  if (before !== q) {
    setBefore(q);
    setAsked(q);
    // The user followed a link, for example to all chats.
    if (q !== asked && typed.trim() === before) setTyped(q);
  }
  const wanted = useDeferredValue(typed.trim());
  useEffect(() => {
    if (wanted === q) return undefined;
    const timer = setTimeout(() => {
      setAsked(wanted);
      void navigate({ to: ".", search: wanted === "" ? {} : { q: wanted }, replace: true, resetScroll: false });
    }, 250);
    return () => clearTimeout(timer);
  }, [wanted, q, navigate]);
  const chats = useChats(id, q);
  const [isArchive, setArchive] = useState(false);
  return (
    <section
      aria-label={texts.list}
      className={`flex min-h-0 min-w-0 flex-col max-[899px]:-mx-4 max-[899px]:bg-ground ${isAside ? "max-[899px]:hidden" : ""}`}
    >
      <div className="relative p-2 max-[899px]:px-4">
        <Search
          size={16}
          aria-hidden
          className="pointer-events-none absolute top-1/2 left-5 -translate-y-1/2 text-soft max-[899px]:left-7"
        />
        <input
          type="search"
          aria-label={texts.search}
          placeholder={texts.search}
          value={typed}
          maxLength={200}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          className="min-h-11 w-full rounded-md border border-edge bg-surface pr-3 pl-9 text-ink placeholder:text-soft pointer-fine:min-h-9"
        />
      </div>
      <Query result={{ ...chats, isPlaceholderData: false }} lines={6}>
        {({ pages }) => {
          const all = pages.flatMap(({ data }) => data);
          if (all.length === 0 && q === "") return <Empty icon={MessagesSquare} title={texts.none} text={texts.noneText} />;
          const archived = all.filter((chat) => chat.archived);
          // A search also finds archived chats.
          const listed = q !== "" ? all : isArchive ? archived : all.filter((chat) => !chat.archived);
          return (
            <div className="min-h-0 grow overflow-y-auto max-[899px]:overflow-visible">
              {q === "" && (isArchive || archived.length > 0) && <ArchiveLink archived={archived} isOpen={isArchive} onOpen={setArchive} />}
              {listed.length === 0 && (q !== "" || isArchive) && (
                <p className="px-4 py-3 text-soft">{q === "" ? texts.archiveNone : texts.noneFound}</p>
              )}
              <ul className="min-w-0">
                {listed.map((chat) => (
                  <Entry key={chat.chat_id} id={id} chat={chat} q={q} />
                ))}
              </ul>
              {chats.hasNextPage && <NearEdge label={texts.moreChats} more={chats} />}
              {q !== "" && !chats.hasNextPage && (
                <Suspense>
                  <EveryChat id={id} q={q} />
                </Suspense>
              )}
            </div>
          );
        }}
      </Query>
    </section>
  );
}

type ArchiveLinkProps = { archived: readonly Chat[]; isOpen: boolean; onOpen: (isOpen: boolean) => void };

/** Opens the archived chats, and closes them again. */
function ArchiveLink({ archived, isOpen, onOpen }: ArchiveLinkProps) {
  const texts = useTexts(CHATS);
  const Icon = isOpen ? ArrowLeft : Archive;
  const unread = archived.filter(({ unread_count, marked_unread }) => unread_count > 0 || marked_unread).length;
  return (
    <button type="button" aria-expanded={isOpen} className="choice" onClick={() => onOpen(!isOpen)}>
      <span className="grid w-11 shrink-0 place-items-center text-soft">
        <Icon size={18} aria-hidden />
      </span>
      <span className="grow">{texts.archive}</span>
      {unread > 0 && (
        <span className="text-sm text-soft">
          <span aria-hidden>{unread}</span>
          <span className="sr-only">{texts.unread(unread)}</span>
        </span>
      )}
    </button>
  );
}

type RowProps = { id: string; chat: Chat; q: string };

function Entry(row: RowProps) {
  const item = useRef<HTMLLIElement>(null);
  const link = useRef<HTMLAnchorElement>(null);
  useLayoutEffect(() => {
    const shown = item.current;
    return () => {
      // The menu of this chat has archived it, so the focus moves to its neighbour.
      if (shown?.contains(document.activeElement) === true)
        (shown.nextElementSibling ?? shown.previousElementSibling)?.querySelector("a")?.focus();
    };
  }, []);
  return (
    <li ref={item} className="group relative grid grid-cols-[minmax(0,1fr)] items-end">
      <Row {...row} link={link} />
      <Suspense>
        <ChatMenu
          id={row.id}
          chat={row.chat}
          row={link}
          className="absolute justify-self-end pointer-fine:opacity-0 group-focus-within:opacity-100 group-hover:opacity-100"
        />
      </Suspense>
    </li>
  );
}

function Row({ id, chat, q, link }: RowProps & { link: RefObject<HTMLAnchorElement | null> }) {
  const texts = useTexts(CHATS);
  const { last_message: last, unread_count, marked_unread } = chat;
  const isUnread = unread_count > 0 || marked_unread;
  const { text, outgoing } = useDraft(id, chat.chat_id);
  const isRecorded = useRecording(`${id} ${chat.chat_id}`) !== null;
  const written = text.trim() || (isRecorded ? texts.types.voice : "");
  const left = written === "" ? outgoing.findLast(({ state }) => state.kind !== "accepted") : undefined;
  const isFailed = left !== undefined && isNotSent(left);
  // Shows at most two words of the name, to leave room for the text.
  const sender = chat.kind === "group" ? last?.push_name?.match(/^\S+(\s+\S+)?/)?.[0] : undefined;
  const who = last?.from_me === true ? texts.you : sender;
  const plain = (formatted: string) => plainText(formatted, namesIn(id, texts.you));
  const previewOf = ({ type, filename, deleted, text: written }: NonNullable<Chat["last_message"]>) => {
    if (deleted) return texts.deleted;
    if (written !== null) return plain(written);
    // Cameras name photos and videos by numbers.
    return (type === "document" ? filename : null) ?? typeName(texts.types, type);
  };
  return (
    <Link
      ref={link}
      draggable={false}
      to="/connections/$id/chats/$chat"
      params={{ id, chat: chat.chat_id }}
      search={q === "" ? {} : { q }}
      className="grid min-h-16 grid-cols-[auto_minmax(0,1fr)] items-center gap-3 px-3 py-2 hover:bg-tint focus-visible:-outline-offset-2 aria-[current=page]:bg-own max-[899px]:px-4"
    >
      <Avatar name={chat.name} group={chat.kind !== "direct"} />
      <span className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-0.5">
        <span className="flex items-baseline gap-2">
          <span dir="auto" className={`private min-w-0 grow truncate ${isUnread ? "font-semibold" : ""}`}>
            {chatTitle(chat, texts.hidden)}
          </span>
          {chat.pinned && <Mark icon={Pin} label={texts.pinned} />}
          {chat.muted && <Mark icon={BellOff} label={texts.muted} />}
          {chat.archived && q !== "" && <Mark icon={Archive} label={texts.archived} />}
          <span className="shrink-0 text-sm text-soft">{last !== null && <LastAt time={last.at} />}</span>
        </span>
        <span className="flex items-baseline gap-2 text-sm text-soft">
          <span dir="auto" className="private min-w-0 grow truncate">
            {written !== "" || left !== undefined ? (
              <>
                <span className={`font-semibold ${isFailed ? "text-bad" : "text-accent"}`}>
                  {left === undefined
                    ? texts.draft
                    : isFailed
                      ? texts.status.failed
                      : isUncertain(left)
                        ? texts.uncertain
                        : texts.status.pending}
                  :
                </span>{" "}
                {left === undefined ? written : plain(left.text)}
              </>
            ) : last === null ? (
              ""
            ) : (
              `${who === undefined ? "" : `${who}: `}${previewOf(last)}`
            )}
          </span>
          {isUnread && (
            <span className="shrink-0 rounded-full bg-accent px-2 font-semibold text-on-accent">
              <span aria-hidden>{unread_count === 0 ? "•" : unread_count}</span>
              <span className="sr-only">{unread_count === 0 ? texts.markedUnread : texts.unread(unread_count)}</span>
            </span>
          )}
          {/* Leaves room for the menu's button. */}
          <span className="w-6 shrink-0" />
        </span>
      </span>
    </Link>
  );
}

function Mark({ icon: Icon, label }: { icon: LucideIcon; label: string }) {
  return (
    <>
      <Icon size={12} aria-hidden className="shrink-0 self-center text-soft" />
      <span className="sr-only">{label}</span>
    </>
  );
}

function LastAt({ time }: { time: string }) {
  const texts = useTexts(CHATS);
  const language = useLanguage();
  const at = new Date(time);
  const day = dayName(at.getTime(), useNow(60_000));
  const shown =
    day === "yesterday"
      ? texts.yesterday
      : dateFormat(locale(language), day === "today" ? { timeStyle: "short" } : { dateStyle: "short" }).format(at);
  return (
    <time dateTime={time} title={exact(at, language)}>
      {shown}
    </time>
  );
}
