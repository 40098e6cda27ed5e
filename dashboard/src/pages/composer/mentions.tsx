// Offers a group's members while a name is typed after an `@`.
import { useQuery } from "@tanstack/react-query";
import { type RefObject, useEffect, useEffectEvent, useId, useState, useSyncExternalStore } from "react";
import { accountReading, instanceOf } from "../../api/account.ts";
import { reading } from "../../api/client.ts";
import { mentionAt, mentionName } from "../../domain/messages/mentions.ts";
import { matching } from "../../domain/palette.ts";
import { groupedPhone } from "../../domain/phone.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { PhoneNumber } from "../../ui/phone.tsx";
import { announce } from "../../ui/toast.tsx";
import { CHATS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { namesIn } from "../chats/names.ts";
import { changeDraft } from "../chats/drafts-store.ts";

const LISTED = 30;

type MentionsProps = { id: string; chatId: string; field: RefObject<HTMLTextAreaElement | null>; text: string };
type Choice = { phone: string; name: string | null; label: string; also: string };

export function Mentions({ id, chatId, field, text }: MentionsProps) {
  const texts = useTexts(CHATS);
  const listId = useId();
  const caret = useSyncExternalStore(subscribeToCaret, () => field.current?.selectionStart ?? 0);
  const mention = mentionAt(text, caret);
  const isTyped = mention !== null;
  const choices = useMembers(id, chatId, mention?.typed ?? null);
  const [moved, setMoved] = useState({ typed: "", at: 0 });
  /** The index of the `@` whose list the user has closed. */
  const [closed, setClosed] = useState(-1);
  if (!isTyped && closed !== -1) setClosed(-1);
  const shown = isTyped && mention.at !== closed ? choices : [];
  const at = moved.typed === mention?.typed ? Math.min(moved.at, shown.length - 1) : 0;
  const chosen = shown[at];
  const optionId = chosen === undefined ? null : `${listId}${chosen.phone}`;

  const choose = ({ phone, label }: Choice) => {
    if (field.current === null || mention === null) return;
    let name = label;
    changeDraft(id, chatId, ({ mentioned = {} }) => {
      name = mentionName(label, phone, mentioned);
      return { mentioned: { ...mentioned, [name]: phone } };
    });
    field.current.setRangeText(`@${name} `, mention.at, caret, "end");
    field.current.dispatchEvent(new Event("input", { bubbles: true }));
    field.current.focus();
  };
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (chosen === undefined || mention === null || event.isComposing || event.shiftKey) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const takes = event.key === "Tab" || (event.key === "Enter" && !matchMedia("(pointer: coarse)").matches);
    if (step !== undefined) setMoved({ typed: mention.typed, at: (at + step + shown.length) % shown.length });
    else if (takes) choose(chosen);
    else if (event.key === "Escape") setClosed(mention.at);
    else return;
    event.preventDefault();
    // Otherwise, the same key would also send the text or cancel the reply.
    event.stopPropagation();
  });
  useEffect(() => {
    const shownField = field.current;
    const listener = (event: KeyboardEvent) => onKey(event);
    shownField?.addEventListener("keydown", listener);
    return () => shownField?.removeEventListener("keydown", listener);
  }, [field]);
  useEffect(() => {
    const shownField = field.current;
    if (shownField === null || optionId === null) return undefined;
    shownField.setAttribute("aria-controls", listId);
    shownField.setAttribute("aria-activedescendant", optionId);
    document.getElementById(optionId)?.scrollIntoView({ block: "nearest" });
    return () => {
      shownField.removeAttribute("aria-controls");
      shownField.removeAttribute("aria-activedescendant");
    };
  }, [field, listId, optionId]);
  const count = shown.length;
  useEffect(() => {
    if (count > 0) announce(texts.mention.found(count));
  }, [count, texts]);
  if (count === 0) return null;
  return (
    <div id={listId} role="listbox" aria-label={texts.mention.list} className="max-h-56 min-h-24 overflow-y-auto">
      {shown.map((choice) => (
        // The field has the focus and handles the keys.
        // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
        <div
          key={choice.phone}
          id={`${listId}${choice.phone}`}
          role="option"
          aria-selected={choice === chosen}
          // Keeps the focus in the field, so that a phone's keyboard stays.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => choose(choice)}
          className="flex min-h-11 cursor-pointer items-center gap-3 rounded-md px-2 py-1 hover:bg-tint aria-selected:bg-tint"
        >
          <Avatar name={choice.name} small />
          <span dir="auto" className="private min-w-0 grow truncate">
            {choice.label}
          </span>
          {choice.name !== null && (
            <span className="shrink-0 text-sm text-soft">
              <PhoneNumber digits={choice.phone} />
            </span>
          )}
        </div>
      ))}
    </div>
  );
}

/** The group's members whose names or numbers match, without this number. `typed` is null if no name is typed. */
function useMembers(id: string, chatId: string, typed: string | null): readonly Choice[] {
  const texts = useTexts(CHATS);
  const connection = useQuery(reading("GET /connections/{id}", { id })).data?.data;
  const group = accountReading("GET /groups/{chat_id}", id, chatId);
  // The Cloud API has no mentions.
  const { data } = useQuery({ ...group, enabled: instanceOf(id) !== null && connection?.kind === "session" });
  if (typed === null || data === undefined) return [];
  const nameOf = namesIn(id, texts.you);
  const members = data.participants.flatMap(({ phone, name }): Choice[] => {
    if (phone === null || phone === connection?.phone) return [];
    return [{ phone, name, label: name ?? nameOf(phone) ?? groupedPhone(phone), also: phone }];
  });
  const byName = members.toSorted((a, b) => a.label.localeCompare(b.label));
  return matching(byName, typed).slice(0, LISTED);
}

function subscribeToCaret(changed: () => void): () => void {
  // A change of the text moves the caret, too.
  const types = ["selectionchange", "input"];
  for (const type of types) document.addEventListener(type, changed);
  return () => {
    for (const type of types) document.removeEventListener(type, changed);
  };
}
