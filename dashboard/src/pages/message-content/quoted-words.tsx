import { typeName } from "../../domain/chats.ts";
import { CHATS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";

/** `words` is null if the message has no text. */
export type WordsProps = { words: string | null; type: string; author: string | undefined };

export function Words({ words, type, author }: WordsProps) {
  const texts = useTexts(CHATS);
  return (
    <>
      {author !== undefined && <span className="font-semibold">{author}: </span>}
      <span dir="auto" className="line-clamp-2 break-words">
        {words ?? typeName(texts.types, type)}
      </span>
    </>
  );
}
