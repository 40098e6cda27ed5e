// The content of a message: its file, text, card, place, contacts or poll.
import { Fragment, Suspense } from "react";
import { typeName } from "../../domain/chats.ts";
import { splitText, withNames } from "../../domain/messages/formatted-text.ts";
import { lazyPart } from "../../ui/loading/lazy-part.tsx";
import { CHATS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { namesIn } from "../chats/names.ts";
import type { Message } from "../chats/reads.ts";

const LinkCard = lazyPart(() => import("./link-card.tsx").then(({ LinkCard: component }) => component));
const LongText = lazyPart(() => import("./long-text.tsx").then(({ LongText: component }) => component));
const FileOf = lazyPart(() =>
  import("./file.tsx").then(
    ({ FileOf: component }) => component,
    () => Kind,
  ),
);
const Special = lazyPart(() =>
  import("./special.tsx").then(
    ({ Special: component }) => component,
    () => Kind,
  ),
);

/** Every card has the same height, so that the messages below do not move when it loads. */
const CARD_HEIGHT = "h-28";

export function Content({ message, id }: { message: Message; id: string }) {
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
      {text !== null && poll === null && ![location?.name, location?.address, names].includes(text) && <Text text={text} id={id} />}
      {preview !== null && (
        <Suspense fallback={<span className={CARD_HEIGHT} />}>
          <LinkCard preview={preview} height={CARD_HEIGHT} />
        </Suspense>
      )}
      {text === null && media === null && !isSpecial && <Kind message={message} />}
    </div>
  );
}

/** Texts from this length on are measured, because they may be longer than `CLAMP` on a narrow screen. */
const MAY_BE_LONG = { characters: 700, lines: 25 };
const CLAMP = "line-clamp-[25]";

function Text({ text, id }: { text: string; id: string }) {
  const texts = useTexts(CHATS);
  const nameOf = namesIn(id, texts.you);
  const parts = splitText(text).map(({ from, text: part, href, marks }) =>
    marks.reduceRight(
      (inner, Marked) => <Marked key={from}>{inner}</Marked>,
      href === null ? (
        <Fragment key={from}>{marks.at(-1) === "code" ? part : withNames(part, nameOf)}</Fragment>
      ) : (
        <a key={from} href={href} target="_blank" rel="noopener noreferrer" className="underline">
          {part}
        </a>
      ),
    ),
  );
  const className = "whitespace-pre-wrap break-words";
  const isShort = text.length < MAY_BE_LONG.characters && text.split("\n", MAY_BE_LONG.lines + 1).length <= MAY_BE_LONG.lines;
  const shown = (
    <p dir="auto" className={isShort ? className : `${className} ${CLAMP}`}>
      {parts}
    </p>
  );
  if (isShort) return shown;
  return (
    <Suspense fallback={shown}>
      <LongText className={className} clamp={CLAMP}>
        {parts}
      </LongText>
    </Suspense>
  );
}

function Kind({ message: { type } }: { message: Message }) {
  const texts = useTexts(CHATS);
  return <p className="text-soft">{typeName(texts.types, type)}</p>;
}
