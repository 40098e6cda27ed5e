import { type InfiniteData, useQueryClient } from "@tanstack/react-query";
import { Ellipsis } from "lucide-react";
import { type KeyboardEvent, type RefObject, Suspense, useEffect, useEffectEvent, useState } from "react";
import { api } from "../../api/client.ts";
import { Refused, refusalText } from "../../api/refused.ts";
import { authorOf } from "../../domain/messages/author.ts";
import { ownReaction, withOwnReaction } from "../../domain/messages/own-reaction.ts";
import { mayEdit } from "../../domain/sends.ts";
import { useCopy } from "../../ui/code/copy.tsx";
import { useNow } from "../../ui/clock.ts";
import { Menu, type MenuItem } from "../../ui/menu.tsx";
import { toast } from "../../ui/toast.tsx";
import { CHATS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { useLanguage } from "../../texts/language.ts";
import { fileName } from "../../domain/messages/file-name.ts";
import { fileAddress } from "../message-content/file-address.ts";
import { type Message, messagesOf, refreshChats, useMissingFeatures } from "./reads.ts";
import { onSwipe } from "./swipe.ts";
import { onTaps } from "./tap.ts";
import { lazyPart } from "../../ui/loading/lazy-part.tsx";

const MessageDialog = lazyPart(() => import("./message-dialogs.tsx").then(({ MessageDialog: component }) => component));

const REACTIONS: readonly string[] = ["👍", "❤️", "😂", "😮", "😢", "🙏"];

type ActionsProps = {
  content: RefObject<HTMLElement | null>;
  message: Message;
  id: string;
  mayWrite: boolean;
  onReply: (message: Message) => void;
  /** Shows the photos of an album, which the message stands for, as messages of their own. */
  onApart: (() => void) | undefined;
};

export function Actions({ content, message, id, mayWrite, onReply, onApart }: ActionsProps) {
  const texts = useTexts(CHATS);
  const language = useLanguage();
  const client = useQueryClient();
  const { copy } = useCopy();
  const now = useNow();
  const [open, setOpen] = useState<"edit" | "remove" | "forward" | null>(null);
  const missing = useMissingFeatures(id);
  const { chat_id, message_id, text, media, from_me: own, starred, reactions } = message;
  useEffect(() => (content.current === null ? undefined : onTaps(content.current)), [content]);
  const answer = useEffectEvent(() => onReply(message));
  const mayAnswer = mayWrite && onApart === undefined;
  useEffect(() => (content.current === null || !mayAnswer ? undefined : onSwipe(content.current, () => answer())), [content, mayAnswer]);
  const target = { id, chat_id, message_id };
  const show = (shown: (now: Message) => Partial<Message>) =>
    client.setQueryData<InfiniteData<{ data: Message[] }>>(
      messagesOf(id, chat_id),
      (known) =>
        known && {
          ...known,
          pages: known.pages.map((page) => ({
            ...page,
            data: page.data.map((each) => (each.message_id === message_id ? { ...each, ...shown(each) } : each)),
          })),
        },
    );
  /** Shows the change immediately, and reverts it if the request fails. Others may have changed the message meanwhile. */
  const change = async (act: () => Promise<unknown>, after: (now: Message) => Partial<Message>, before: typeof after) => {
    show(after);
    try {
      await act();
    } catch (error) {
      show(before);
      if (!(error instanceof Refused)) throw error;
      toast(refusalText(error, language), { kind: "bad" });
    }
    await refreshChats(client);
  };
  const mine = ownReaction(reactions);
  const react = (reaction: string) => {
    const withOwn = (own: string) => (now: Message) => ({ reactions: withOwnReaction(now.reactions, own) });
    const act = () => api("PUT /connections/{id}/chats/{chat_id}/messages/{message_id}/reaction", { ...target, reaction });
    void change(act, withOwn(reaction), withOwn(mine ?? ""));
  };
  const star = () => {
    const act = () => api("PUT /connections/{id}/chats/{chat_id}/messages/{message_id}/star", { ...target, starred: !starred });
    void change(
      act,
      () => ({ starred: !starred }),
      () => ({ starred }),
    );
  };
  const isThere = message.status !== "pending" && message.status !== "failed";
  const items: MenuItem[] = [];
  if (mayWrite) items.push({ label: texts.reply, onSelect: () => onReply(message) });
  if (mayWrite && isThere && !missing.includes("forward")) items.push({ label: texts.forward, onSelect: () => setOpen("forward") });
  if (text !== null) items.push({ label: texts.copyText, onSelect: () => copy(text, document.body) });
  if (media !== null)
    items.push({ label: texts.file.save, onSelect: () => save(fileAddress(id, message), fileName({ ...message, media }, texts.types)) });
  if (mayWrite) {
    if (isThere && !missing.includes("star")) items.push({ label: starred ? texts.unstar : texts.star, onSelect: star });
    if (mine !== undefined && !REACTIONS.includes(mine)) items.push({ label: texts.unreact, onSelect: () => react("") });
    if (!missing.includes("edit") && mayEdit(message, now)) items.push({ label: texts.edit, onSelect: () => setOpen("edit") });
    if (!missing.includes("delete") && own && message.status !== "failed")
      items.push({ label: texts.remove, danger: true, onSelect: () => setOpen("remove") });
  }
  // The other actions are for one photo.
  if (onApart !== undefined) items.splice(0, items.length, { label: texts.photo.oneByOne, onSelect: onApart });
  if (items.length === 0) return null;
  return (
    <>
      <Menu
        label={<Ellipsis size={16} aria-hidden />}
        name={texts.actions(own ? texts.you : authorOf(message, texts.hidden))}
        items={items}
        foot={mayWrite && onApart === undefined && <Reactions mine={mine} onReact={react} />}
        kind="quiet"
        align={own ? "end" : "start"}
        className={`w-11 shrink-0 !px-0 pointer-fine:w-9 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 group-data-open:opacity-100 max-[899px]:absolute max-[899px]:top-0 ${own ? "max-[899px]:right-full" : "max-[899px]:left-full"}`}
        bare
      />
      {open !== null && (
        <Suspense>
          <MessageDialog kind={open} message={message} id={id} onClose={() => setOpen(null)} />
        </Suspense>
      )}
    </>
  );
}

/** A row of menu items. The left and right arrow keys also move between them. */
function Reactions({ mine, onReact }: { mine: string | undefined; onReact: (reaction: string) => void }) {
  const texts = useTexts(CHATS);
  const move = (event: KeyboardEvent<HTMLButtonElement>) => {
    const { nextElementSibling, previousElementSibling } = event.currentTarget;
    const to = { ArrowRight: nextElementSibling, ArrowLeft: previousElementSibling }[event.key];
    if (to instanceof HTMLElement) to.focus();
  };
  return (
    <div role="group" aria-label={texts.reactions} className="flex border-t border-line pt-1">
      {REACTIONS.map((emoji) => (
        <button
          key={emoji}
          type="button"
          role="menuitem"
          tabIndex={-1}
          aria-label={emoji === mine ? texts.unreact : texts.react(emoji)}
          onKeyDown={move}
          onClick={({ currentTarget }) => {
            // Closing the menu also returns the focus to the menu's button.
            currentTarget.closest<HTMLElement>("[popover]")?.hidePopover();
            onReact(emoji === mine ? "" : emoji);
          }}
          className={`grid min-h-11 min-w-11 grow place-items-center rounded-md text-lg hover:bg-tint focus:bg-tint focus-visible:-outline-offset-2 pointer-fine:min-h-9 pointer-fine:min-w-9 ${emoji === mine ? "bg-own" : ""}`}
        >
          {emoji}
        </button>
      ))}
    </div>
  );
}

function save(address: string, name: string): void {
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
}
