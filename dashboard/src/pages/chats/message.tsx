import { Star } from "lucide-react";
import { Suspense, useRef } from "react";
import { refusalText } from "../../api/refused.ts";
import { timeFormat } from "../../domain/formats.ts";
import { refusalOf } from "../../domain/messages/outgoing.ts";
import { PhoneNumber } from "../../ui/phone.tsx";
import { locale, useLanguage } from "../../texts/language.ts";
import { useTexts } from "../../texts/catalog.ts";
import type { Message } from "./reads.ts";
import type { Shown } from "./outgoing-bubble.ts";
import { CHATS } from "../../texts/catalogs.ts";
import { lazyPart } from "../../ui/loading/lazy-part.tsx";
import { asOne } from "../../domain/messages/albums.ts";
import { Content } from "../message-content/content.tsx";
import { QuoteLink } from "../message-content/quote.tsx";
import { Ticks } from "../message-content/ticks.tsx";

const Reactions = lazyPart(() => import("../message-content/reactions.tsx").then(({ Reactions: component }) => component));
const Album = lazyPart(() => import("../message-content/album.tsx").then(({ Album: component }) => component));
const Actions = lazyPart(() => import("./actions.tsx").then(({ Actions: component }) => component));

/** As many rows as columns, so that the messages below do not move when it loads. */
const SQUARE = "aspect-square w-72 max-w-full";

type BubbleProps = {
  message: Shown;
  /** The photos that are shown together, of which `message` is the first. */
  album?: readonly Shown[];
  id: string;
  mayWrite: boolean;
  onReply: (message: Message) => void;
  onJump: (messageId: string) => void;
  /** Shows each photo of the album as a message of its own. */
  onApart?: () => void;
};

export function Bubble({ message: first, album, id, mayWrite, onReply, onJump, onApart }: BubbleProps) {
  const message = album === undefined ? first : asOne(first, album);
  const texts = useTexts(CHATS);
  const language = useLanguage();
  const { from_me: own, status, outgoing } = message;
  // A text that was refused before it was stored has an error too.
  const error = (outgoing && refusalOf(outgoing)) ?? (message.error && { code: message.error });
  const content = useRef<HTMLDivElement>(null);
  const time = timeFormat(locale(language)).format(new Date(message.at));
  return (
    <article
      data-message={message.message_id}
      aria-label={`${own ? texts.you : (message.push_name ?? "")} ${time}`.trim()}
      tabIndex={-1}
      className={`group relative flex max-w-[85%] rounded-lg focus:outline-2 focus:outline-offset-2 focus:outline-accent min-w-0 items-start gap-1 ${own ? "flex-row-reverse justify-self-end" : "justify-self-start"}`}
    >
      {/* On a phone, a tap shows the message's source and its menu button. */}
      <div
        ref={content}
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
        {message.quoted !== null && <QuoteLink id={id} chatId={message.chat_id} quoted={message.quoted} onJump={onJump} />}
        {album !== undefined && (
          <Suspense fallback={<span className={SQUARE} />}>
            <Album id={id} photos={album} className={SQUARE} />
          </Suspense>
        )}
        {(album === undefined || message.text !== null) && (
          <Content message={album === undefined ? message : { ...message, media: null }} id={id} />
        )}
        {message.reactions.length > 0 && (
          <Suspense fallback={<span className="min-h-7">{message.reactions.map(({ reaction }) => reaction).join(" ")}</span>}>
            <Reactions reactions={message.reactions} id={id} />
          </Suspense>
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
        {outgoing?.state.kind === "held" && <p className="stale text-sm text-bad">{texts.queued}</p>}
        {status === "failed" && error !== null && (
          <p className={`text-sm text-bad ${error.code === "offline" ? "stale" : ""}`}>
            {refusalText(error, language)}
            {error.code === "new_chat_refused" && ` ${texts.dontInsist}`}
          </p>
        )}
      </div>
      {message.deleted_at === null && (
        <Suspense fallback={<span className="w-11 shrink-0 pointer-fine:w-9 max-[899px]:hidden" />}>
          <Actions content={content} message={message} id={id} mayWrite={mayWrite} onReply={onReply} onApart={onApart} />
        </Suspense>
      )}
    </article>
  );
}
