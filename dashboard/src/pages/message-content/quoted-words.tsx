import { typeName } from "../../domain/chats.ts";
import { CHATS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";

/** `words` is null if the message has no text. */
export type WordsProps = { words: string | null; type: string; isOwn: boolean };

export function Words({ words, type, isOwn }: WordsProps) {
  const texts = useTexts(CHATS);
  return (
    <>
      {isOwn && <span className="font-semibold">{texts.you}: </span>}
      <span dir="auto" className="line-clamp-2 break-words">
        {words ?? typeName(texts.types, type)}
      </span>
    </>
  );
}
