import { timeFormat } from "../../domain/formats.ts";
import { Check, CheckCheck, Clock3, Star, TriangleAlert } from "lucide-react";
import { Fragment, Suspense, useCallback, useState } from "react";
import { refusalText } from "../../api/refused.ts";
import { typeName } from "../../domain/chats.ts";
import { splitText } from "../../domain/messages/formatted-text.ts";
import { PhoneNumber } from "../../ui/phone.tsx";
import { locale, useLanguage } from "../../texts/language.ts";
import { useTexts } from "../../texts/catalog.ts";
import type { Message } from "./reads.ts";
import type { Shown } from "./unsent.ts";
import { CHATS } from "../../texts/catalogs.ts";
import { lazyPart } from "../../ui/loading/lazy-part.tsx";

const Actions = lazyPart(() => import("./actions.tsx").then(({ Actions: component }) => component));
const LinkCard = lazyPart(() => import("../message-content/link-card.tsx").then(({ LinkCard: component }) => component));

const FileOf = lazyPart(() =>
  import("../message-content/file.tsx").then(
    ({ FileOf: component }) => component,
    () => Kind,
  ),
);
const Special = lazyPart(() =>
  import("../message-content/special.tsx").then(
    ({ Special: component }) => component,
    () => Kind,
  ),
);

/** Every card has the same height, so that the messages below do not move when it loads. */
const CARD_HEIGHT = "h-28";

type BubbleProps = {
  message: Shown;
  id: string;
  mayWrite: boolean;
  onReply: (message: Message) => void;
  onJump: (messageId: string) => void;
};

export function Bubble({ message, id, mayWrite, onReply, onJump }: BubbleProps) {
  const texts = useTexts(CHATS);
  const language = useLanguage();
  const { from_me: own, status } = message;
  // A text that was refused before it was stored has an error too.
  const error = message.outgoing?.refused ?? (message.error && { code: message.error });
  const { isOpen, tapped } = useTap();
  const time = timeFormat(locale(language)).format(new Date(message.at));
  return (
    <article
      data-message={message.message_id}
      aria-label={`${own ? texts.you : (message.push_name ?? "")} ${time}`.trim()}
      data-open={isOpen || undefined}
      tabIndex={-1}
      className={`group relative flex max-w-[85%] rounded-lg focus:outline-2 focus:outline-offset-2 focus:outline-accent min-w-0 items-start gap-1 ${own ? "flex-row-reverse justify-self-end" : "justify-self-start"}`}
    >
      {/* On a phone, a tap shows the message's source and its menu button. */}
      <div
        ref={tapped}
        className={`grid min-w-0 gap-1 rounded-lg px-3 py-1.5 ${own ? "rounded-br-md bg-own" : "rounded-bl-md bg-surface"}`}
      >
        {!own && message.chat_id.endsWith("@g.us") && (
          <p className="private text-sm font-semibold">
            {message.push_name ?? (message.from === null && texts.hidden.direct)}
            {message.from !== null && (
              <span className="font-normal text-soft">
                {" "}
                <PhoneNumber digits={message.from} />
              </span>
            )}
          </p>
        )}
        {message.forwarded && <p className="text-sm text-soft">{texts.forwarded}</p>}
        {message.quoted !== null && <QuoteLink quoted={message.quoted} onJump={onJump} />}
        <Content message={message} id={id} />
        {message.reactions.length > 0 && (
          <p className="text-sm">
            <span className="sr-only">{texts.reactions}: </span>
            {message.reactions.map(({ reaction }) => reaction).join(" ")}
          </p>
        )}
        <p className="flex flex-wrap items-center justify-end gap-x-2 text-sm text-soft">
          {message.source !== null && (
            <span className="max-[899px]:hidden max-[899px]:group-data-open:inline">{texts.sources[message.source]}</span>
          )}
          {message.starred && (
            <>
              <Star size={12} aria-hidden className="shrink-0 self-center fill-current" />
              <span className="sr-only">{texts.starred}</span>
            </>
          )}
          {message.edited_at !== null && <span>{texts.edited}</span>}
          <time dateTime={message.at}>{time}</time>
          {own && status !== null && <Ticks status={status} />}
        </p>
        {status === "failed" && error !== null && (
          <p className="text-sm text-bad">
            {error.code === "queued" ? texts.queued : refusalText(error, language)}
            {(error.code === "new_chat_refused" || error.code === "temporarily_blocked") && ` ${texts.dontInsist}`}
          </p>
        )}
      </div>
      {message.deleted_at === null && (
        <Suspense fallback={<span className="w-11 shrink-0 pointer-fine:w-9 max-[899px]:hidden" />}>
          <Actions message={message} id={id} mayWrite={mayWrite} onReply={onReply} />
        </Suspense>
      )}
    </article>
  );
}

const LONG_MS = 500;

/** A tap shows the menu button, and a long press opens the menu. Keyboard and screen reader users have the button itself. */
function useTap() {
  const [isOpen, setOpen] = useState(false);
  const tapped = useCallback((element: HTMLElement | null) => {
    if (element === null) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let wasLong = false;
    const listening = new AbortController();
    const on = (types: readonly string[], act: (event: Event) => void) => {
      for (const type of types) element.addEventListener(type, act, { signal: listening.signal });
    };
    const end = () => clearTimeout(timer);
    const openMenu = () => {
      const button = element.parentElement?.querySelector<HTMLElement>("[aria-haspopup=menu]");
      if (button?.nextElementSibling?.matches(":popover-open") === false) button.click();
    };
    element.addEventListener(
      "click",
      (event) => {
        // The end of a long press must not follow a link or open a photo.
        if (wasLong) {
          event.preventDefault();
          event.stopPropagation();
        } else if (!(event.target instanceof Element && event.target.closest("a, button"))) setOpen((before) => !before);
      },
      { capture: true, signal: listening.signal },
    );
    on(["pointerdown"], (event) => {
      wasLong = false;
      if (!(event instanceof PointerEvent) || event.pointerType !== "touch") return;
      timer = setTimeout(() => {
        wasLong = true;
        openMenu();
      }, LONG_MS);
    });
    // Opens the menu only after the finger lifts, because the browser would close a menu that opened under it.
    on(["pointerup"], () => wasLong && setTimeout(openMenu));
    on(["pointerup", "pointercancel", "pointerleave"], end);
    on(["contextmenu"], (event) => {
      if (wasLong) event.preventDefault();
    });
    return () => {
      end();
      listening.abort();
    };
  }, []);
  return { isOpen, tapped };
}

type Status = NonNullable<Message["status"]>;

/** The status is also given in words, for screen readers. */
export function Ticks({ status }: { status: Status }) {
  const texts = useTexts(CHATS);
  const Icon = { pending: Clock3, sent: Check, delivered: CheckCheck, read: CheckCheck, played: CheckCheck, failed: TriangleAlert }[status];
  const tone = status === "read" || status === "played" ? "text-good" : status === "failed" ? "text-bad" : "";
  return (
    <span className={`inline-flex items-center gap-1 ${tone}`} data-status={status} title={texts.status[status]}>
      <Icon size={15} aria-hidden />
      <span className={status === "failed" || status === "read" || status === "played" ? "" : "sr-only"}>{texts.status[status]}</span>
    </span>
  );
}

export function Quote({ text, type, own }: { text: string | null; type: string; own: boolean }) {
  const texts = useTexts(CHATS);
  return (
    <blockquote className="private min-w-0 border-l-2 border-edge bg-tint px-2 py-1 text-sm">
      {own && <span className="font-semibold">{texts.you}: </span>}
      <span dir="auto" className="line-clamp-2 break-words">
        {text ?? typeName(texts.types, type)}
      </span>
    </blockquote>
  );
}

type QuoteLinkProps = { quoted: NonNullable<Message["quoted"]>; onJump: (messageId: string) => void };

function QuoteLink({ quoted: { message_id, text, type, from_me }, onJump }: QuoteLinkProps) {
  const texts = useTexts(CHATS);
  return (
    <button
      type="button"
      title={texts.toQuoted}
      onClick={(event) => {
        event.stopPropagation();
        onJump(message_id);
      }}
      className="min-w-0 text-left"
    >
      <Quote text={text} type={type} own={from_me} />
    </button>
  );
}

function Content({ message, id }: { message: Message; id: string }) {
  const texts = useTexts(CHATS);
  const { text, preview, media, location, contacts, poll, type } = message;
  const names = contacts?.map(({ full_name }) => full_name).join(", ");
  const isSpecial = location !== null || contacts !== null || poll !== null;
  if (message.deleted_at !== null) return <p className="text-soft italic">{texts.deleted}</p>;
  return (
    <div className="private grid min-w-0 grid-cols-1 gap-1">
      {media !== null && (
        <Suspense fallback={<span className={type === "image" ? "h-48 w-64" : "h-11 w-64"} />}>
          <FileOf message={message} id={id} />
        </Suspense>
      )}
      {isSpecial && (
        <Suspense fallback={<Kind message={message} />}>
          <Special message={message} id={id} />
        </Suspense>
      )}
      {text !== null && poll === null && ![location?.name, location?.address, names].includes(text) && (
        <p dir="auto" className="whitespace-pre-wrap break-words">
          {splitText(text).map(({ from, text: part, href, marks }) =>
            marks.reduceRight(
              (inner, Marked) => <Marked key={from}>{inner}</Marked>,
              href === null ? (
                <Fragment key={from}>{part}</Fragment>
              ) : (
                <a key={from} href={href} target="_blank" rel="noopener noreferrer" className="underline">
                  {part}
                </a>
              ),
            ),
          )}
        </p>
      )}
      {preview !== null && (
        <Suspense fallback={<span className={CARD_HEIGHT} />}>
          <LinkCard preview={preview} height={CARD_HEIGHT} />
        </Suspense>
      )}
      {text === null && media === null && !isSpecial && <Kind message={message} />}
    </div>
  );
}

function Kind({ message: { type } }: { message: Message }) {
  const texts = useTexts(CHATS);
  return <p className="text-soft">{typeName(texts.types, type)}</p>;
}
