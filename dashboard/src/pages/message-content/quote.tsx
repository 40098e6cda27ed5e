import { typeName } from "../../domain/chats.ts";
import { plainText } from "../../domain/messages/formatted-text.ts";
import { CHATS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { namesIn } from "../chats/names.ts";
import type { Message } from "../chats/reads.ts";

/** More than fits into two lines. */
const MAX_CHARACTERS = 1_000;

type QuoteProps = { id: string; text: string | null; type: string; own: boolean };

export function Quote({ id, text, type, own }: QuoteProps) {
  const texts = useTexts(CHATS);
  return (
    <blockquote className="private min-w-0 border-l-2 border-edge bg-tint px-2 py-1 text-sm">
      {own && <span className="font-semibold">{texts.you}: </span>}
      <span dir="auto" className="line-clamp-2 break-words">
        {text === null ? typeName(texts.types, type) : plainText(text.slice(0, MAX_CHARACTERS), namesIn(id, texts.you))}
      </span>
    </blockquote>
  );
}

type QuoteLinkProps = { id: string; quoted: NonNullable<Message["quoted"]>; onJump: (messageId: string) => void };

export function QuoteLink({ id, quoted: { message_id, text, type, from_me }, onJump }: QuoteLinkProps) {
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
      <Quote id={id} text={text} type={type} own={from_me} />
    </button>
  );
}
