// The reactions to a message: one pill with the count of each, which shows who reacted.
import { chatTitle } from "../../domain/chats.ts";
import { Popover } from "../../ui/floating/popover.tsx";
import { CHATS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { namesIn } from "../chats/names.ts";
import type { Message } from "../chats/reads.ts";

export function Reactions({ reactions, id }: { reactions: Message["reactions"]; id: string }) {
  const texts = useTexts(CHATS);
  const nameOf = namesIn(id, texts.you);
  const people = reactions.map(({ from_me, from, reaction }, place) => {
    const name = from === null ? null : (nameOf(from) ?? null);
    return { place, reaction, name: from_me ? texts.you : chatTitle({ kind: "direct", name, phone: from }, texts.hidden) };
  });
  const counts = new Map<string, number>();
  for (const { reaction } of reactions) counts.set(reaction, (counts.get(reaction) ?? 0) + 1);
  const shown = [...counts].map(([reaction, count]) => (count === 1 ? reaction : `${reaction} ${count}`));
  return (
    <Popover
      bare
      name={`${texts.reactions}: ${shown.join(", ")}`}
      label={
        <span title={people.map(({ name, reaction }) => `${reaction} ${name}`).join("\n")} className="flex flex-wrap gap-x-2">
          {shown.map((each) => (
            <span key={each}>{each}</span>
          ))}
        </span>
      }
      // A finger also finds it a little beside it.
      className="relative !min-h-7 justify-self-start !rounded-full !border-line !bg-tint !px-2 text-sm !font-normal before:absolute before:-inset-x-1 before:-inset-y-2"
      panelClass="min-w-44"
    >
      {() => (
        <ul aria-label={texts.reactions}>
          {people.map(({ place, reaction, name }) => (
            <li key={place} className="flex min-h-9 items-center gap-2 px-2">
              <span className="w-6 text-center text-lg">{reaction}</span>
              <span className="private">{name}</span>
            </li>
          ))}
        </ul>
      )}
    </Popover>
  );
}
