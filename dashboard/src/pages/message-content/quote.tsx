import { Suspense } from "react";
import { authorOf } from "../../domain/messages/author.ts";
import { plainText } from "../../domain/messages/formatted-text.ts";
import { lazyPart } from "../../ui/loading/lazy-part.tsx";
import { CHATS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { namesIn } from "../chats/names.ts";
import { type Message, messageIn } from "../chats/reads.ts";
import { Words } from "./quoted-words.tsx";

const QuotedFile = lazyPart(() =>
  import("./quoted-file.tsx").then(
    ({ QuotedFile: component }) => component,
    () => Words,
  ),
);

/** More than fits into two lines. */
const MAX_CHARACTERS = 1_000;
const FILES: ReadonlySet<string> = new Set(["image", "video", "sticker", "document", "voice", "audio"]);

type Quoted = Pick<NonNullable<Message["quoted"]>, "message_id" | "text" | "type" | "from_me">;
type QuoteProps = { id: string; chatId: string; quoted: Quoted };

export function Quote({ id, chatId, quoted }: QuoteProps) {
  const texts = useTexts(CHATS);
  const { message_id, text, type, from_me } = quoted;
  const words = text === null ? null : plainText(text.slice(0, MAX_CHARACTERS), namesIn(id, texts.you));
  // Only in a group, there are several other people.
  const original = chatId.endsWith("@g.us") ? messageIn(id, chatId, message_id) : undefined;
  const author = from_me ? texts.you : original && authorOf(original, texts.hidden);
  const shown = { words, type, author };
  return (
    <blockquote className="private min-w-0 border-l-2 border-edge bg-tint px-2 py-1 text-sm">
      {FILES.has(type) ? (
        <Suspense fallback={<Words {...shown} />}>
          <QuotedFile {...shown} id={id} chatId={chatId} messageId={message_id} />
        </Suspense>
      ) : (
        <Words {...shown} />
      )}
    </blockquote>
  );
}

type QuoteLinkProps = { id: string; chatId: string; quoted: NonNullable<Message["quoted"]>; onJump: (messageId: string) => void };

export function QuoteLink({ id, chatId, quoted, onJump }: QuoteLinkProps) {
  const texts = useTexts(CHATS);
  return (
    <button
      type="button"
      title={texts.toQuoted}
      onClick={(event) => {
        event.stopPropagation();
        onJump(quoted.message_id);
      }}
      className="min-w-0 text-left"
    >
      <Quote id={id} chatId={chatId} quoted={quoted} />
    </button>
  );
}
