// The menu of a chat, in the list and in its head: unread, pin, archive, mute.
import { type InfiniteData, useQuery, useQueryClient } from "@tanstack/react-query";
import { EllipsisVertical } from "lucide-react";
import { type RefObject, useEffect } from "react";
import { account, instanceOf } from "../../api/account.ts";
import { api, reading } from "../../api/client.ts";
import { Refused, refusalText } from "../../api/refused.ts";
import { chatTitle } from "../../domain/chats.ts";
import { Menu, type MenuItem } from "../../ui/menu.tsx";
import { toast } from "../../ui/toast.tsx";
import { CHATS as TEXTS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { useLanguage } from "../../texts/language.ts";
import { type Chat, CHAT, CHATS, refreshChats } from "../chats/reads.ts";
import { onTaps } from "../chats/tap.ts";

const HOUR_SECONDS = 3_600;
const MUTES = { hours: 8 * HOUR_SECONDS, week: 7 * 24 * HOUR_SECONDS, always: null };

type ChatMenuProps = {
  id: string;
  chat: Chat;
  /** A long press on this element opens the menu. */
  row?: RefObject<HTMLElement | null>;
  className?: string;
};

export function ChatMenu({ id, chat, row, className = "" }: ChatMenuProps) {
  const all = useTexts(TEXTS);
  const texts = all.chatMenu;
  const change = useChatChange(id, chat);
  const connection = useQuery(reading("GET /connections/{id}", { id })).data?.data;
  const mayChange = connection !== undefined && connection.role !== "viewer" && instanceOf(id) !== null;
  useEffect(() => (mayChange && row?.current ? onTaps(row.current) : undefined), [row, mayChange]);
  if (!mayChange) return null;
  const { archived, muted, pinned, marked_unread, unread_count } = chat;
  const why = connection.status === "connected" ? {} : { why: all.offline };
  const archive = (isArchived: boolean) =>
    change({ archived: isArchived }, isArchived ? "archive" : "unarchive", () => {
      const undo = { label: all.undo, onSelect: () => void archive(!isArchived) };
      toast(isArchived ? texts.archived : texts.unarchived, { action: undo });
    });
  const items: MenuItem[] = [];
  if (unread_count > 0 || marked_unread)
    items.push({ label: texts.read, onSelect: () => void change({ unread_count: 0, marked_unread: false }, "seen"), ...why });
  else if (connection.kind === "session")
    items.push({ label: texts.unread, onSelect: () => void change({ marked_unread: true }, "unread"), ...why });
  items.push(
    { label: pinned ? texts.unpin : texts.pin, onSelect: () => void change({ pinned: !pinned }, pinned ? "unpin" : "pin"), ...why },
    { label: archived ? texts.unarchive : texts.archive, onSelect: () => void archive(!archived), ...why },
  );
  if (muted)
    items.push({ label: texts.unmute, onSelect: () => void change({ muted: false }, "unmute", () => toast(texts.unmuted)), ...why });
  else {
    for (const span of ["hours", "week", "always"] as const) {
      const mute = () => void change({ muted: true }, "mute", () => toast(texts.muted), { duration_seconds: MUTES[span] });
      items.push({ label: texts.mute[span], onSelect: mute, ...why });
    }
  }
  return (
    <Menu
      label={<EllipsisVertical size={18} aria-hidden />}
      name={texts.name(chatTitle(chat, all.hidden))}
      items={items}
      kind="quiet"
      align="end"
      className={`w-11 shrink-0 !px-0 pointer-fine:w-9 ${className}`}
      bare
    />
  );
}

type Action = "seen" | "archive" | "unarchive" | "pin" | "unpin" | "mute" | "unmute" | "unread";
type Change = (shown: Partial<Chat>, action: Action, done?: () => void, body?: object) => Promise<void>;

/** Shows the change immediately, and reverts it if the request fails. */
function useChatChange(id: string, chat: Chat): Change {
  const client = useQueryClient();
  const language = useLanguage();
  const { chat_id } = chat;
  const show = (shown: Partial<Chat>) => {
    const changed = (each: Chat): Chat => (each.chat_id === chat_id ? { ...each, ...shown } : each);
    client.setQueriesData<InfiniteData<{ data: Chat[] }>>(
      { queryKey: [CHATS, { id }] },
      (known) => known && { ...known, pages: known.pages.map((page) => ({ ...page, data: page.data.map(changed) })) },
    );
    client.setQueryData(reading(CHAT, { id, chat_id }).queryKey, (known) => known && { data: known.data && changed(known.data) });
  };
  return async (shown, action, done, body) => {
    const before = Object.fromEntries(Object.keys(shown).map((name) => [name, chat[name as keyof Chat]]));
    show(shown);
    try {
      if (action === "seen") await api("POST /connections/{id}/chats/{chat_id}/seen", { id, chat_id });
      else
        await account(`POST /chats/{chat_id}/${action}`, { instance: instanceOf(id) ?? "", chat_id }, body === undefined ? {} : { body });
      done?.();
      await refreshChats(client);
    } catch (error) {
      show(before);
      if (!(error instanceof Refused)) throw error;
      toast(refusalText(error, language), { kind: "bad" });
    }
  };
}
