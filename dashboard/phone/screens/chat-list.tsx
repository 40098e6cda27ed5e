import { useQuery } from "@tanstack/react-query";
import { Archive, BellOff, PenLine, Pin } from "lucide-react";
import type { ChatView } from "test-network/phone/views.ts";
import { useNow } from "../../src/ui/clock.ts";
import { to } from "../network/address.ts";
import { reading } from "../network/control.ts";
import { useTimes } from "../network/names.ts";
import { Avatar, IconLink, Nothing, ScreenBar } from "../widgets/pieces.tsx";
import { type PhoneTexts, usePhoneTexts } from "../texts/texts.ts";

const STATUS_FEED = "status@broadcast";

export function ChatList({ phone }: { phone: string }) {
  const w = usePhoneTexts();
  const { data: chats } = useQuery(reading(phone, "/chats"));
  const shown = (chats ?? []).filter((chat) => chat.last_message !== null || chat.chat_id.endsWith("@g.us"));
  const sorted = [...shown].sort((a, b) => Number(b.pinned) - Number(a.pinned));
  return (
    <>
      <ScreenBar title={w.tabs.chats}>
        <IconLink href={to(phone, "write")} icon={PenLine} label={w.chats.write} kind="primary" />
      </ScreenBar>
      <div className="min-h-0 flex-1 overflow-y-auto bg-surface">
        {chats !== undefined && sorted.length === 0 && <Nothing text={w.chats.none} hint={w.chats.noneHint} />}
        <ul>
          {sorted.map((chat) => (
            <ChatRow key={chat.chat_id} phone={phone} chat={chat} />
          ))}
        </ul>
      </div>
    </>
  );
}

function ChatRow({ phone, chat }: { phone: string; chat: ChatView }) {
  const w = usePhoneTexts();
  const { brief } = useTimes();
  const now = useNow() / 1000;
  const title = chat.chat_id === STATUS_FEED ? w.chats.status : chat.title;
  const isMuted = chat.muted_until !== null && chat.muted_until > now;
  return (
    <li className="border-b border-line">
      <a href={to(phone, "chat", chat.chat_id)} className="flex items-center gap-3 px-3 py-2.5 hover:bg-tint">
        <Avatar phone={phone} peer={chat.chat_id} title={title} picture={chat.picture} />
        <span className="min-w-0 flex-1">
          <span className="flex items-baseline gap-2">
            <span className="min-w-0 flex-1 truncate font-semibold">{title}</span>
            {chat.last_message !== null && (
              <span className="shrink-0 text-sm text-soft tabular-nums">{brief(chat.last_message.timestamp)}</span>
            )}
          </span>
          <span className="flex items-center gap-1.5">
            <span className="min-w-0 flex-1 truncate text-sm text-soft">{lastOf(w, chat)}</span>
            {chat.pinned && <Mark icon={Pin} label={w.chats.pinned} />}
            {isMuted && <Mark icon={BellOff} label={w.chats.muted} />}
            {chat.archived && <Mark icon={Archive} label={w.chats.archived} />}
            {(chat.unread_count > 0 || chat.marked_unread) && (
              <span className="min-w-5 rounded-full bg-accent px-1.5 text-center text-sm font-semibold text-on-accent">
                <span aria-hidden="true">{chat.unread_count || "•"}</span>
                <span className="sr-only">{w.unread(chat.unread_count)}</span>
              </span>
            )}
          </span>
        </span>
      </a>
    </li>
  );
}

function Mark({ icon: Icon, label }: { icon: typeof Pin; label: string }) {
  return (
    <span role="img" aria-label={label} title={label} className="text-soft">
      <Icon aria-hidden="true" className="size-4" />
    </span>
  );
}

function lastOf(w: PhoneTexts, { last_message: last }: ChatView): string {
  if (last === null) return "";
  const kind = last.type in w.content ? w.content[last.type as keyof PhoneTexts["content"]] : w.content.other;
  const text = last.text ?? (typeof kind === "string" ? kind : w.content.other);
  return last.from_me ? w.chats.own(text) : text;
}
