import { Link } from "@tanstack/react-router";
import { ArrowLeft, Search } from "lucide-react";
import { Suspense, useState } from "react";
import { chatTitle, kindOfChat, phoneOfChat } from "../../domain/chats.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { IconButton } from "../../ui/button.tsx";
import { PageTitle } from "../../ui/heading.tsx";
import { lazyPart } from "../../ui/loading/lazy-part.tsx";
import { PhoneNumber } from "../../ui/phone.tsx";
import { CHATS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import type { LookUpTab } from "../chats/look-up.tsx";
import { useChat } from "../chats/reads.ts";

const ChatInfo = lazyPart(() => import("./chat-info.tsx").then(({ ChatInfo: component }) => component));
const ChatMenu = lazyPart(() => import("./chat-menu.tsx").then(({ ChatMenu: component }) => component));
const LookUp = lazyPart(() => import("../chats/look-up.tsx").then(({ LookUp: component }) => component));
const Presence = lazyPart(() => import("./presence.tsx").then(({ Presence: component }) => component));

export function ChatHeader({ id, chatId, onJump }: { id: string; chatId: string; onJump: (messageId: string) => void }) {
  const texts = useTexts(CHATS);
  const phone = phoneOfChat(chatId);
  const { chat } = useChat(id, chatId);
  const kind = kindOfChat(chatId);
  const title = chatTitle({ kind, name: chat?.name ?? null, phone: chat?.phone ?? phone }, texts.hidden);
  const digits = chat?.phone ?? phone;
  const [open, setOpen] = useState<LookUpTab | "info" | null>(null);
  const close = () => setOpen(null);
  const below =
    digits === null
      ? kind === "direct" && <p className="text-sm text-soft">{texts.hiddenText}</p>
      : chat?.name != null && (
          <p className="text-sm text-soft">
            <PhoneNumber digits={digits} />
          </p>
        );
  return (
    <header className="flex shrink-0 items-center gap-3 border-b border-line px-3 py-2 max-[899px]:gap-2 max-[899px]:px-1 max-[899px]:py-1">
      <Link
        to="/connections/$id/chats"
        params={{ id }}
        search={({ q }) => (q === undefined ? {} : { q })}
        aria-label={texts.back}
        className="grid size-11 shrink-0 place-items-center rounded-md hover:bg-tint min-[900px]:hidden"
      >
        <ArrowLeft size={18} aria-hidden />
      </Link>
      <div className="relative flex min-w-0 grow items-center gap-3 rounded-md hover:bg-tint">
        <Avatar name={chat?.name ?? null} group={kind !== "direct"} small />
        <div className="private min-w-0 grow [&_h1]:truncate [&_h1]:text-lg [&_h1]:leading-tight">
          <PageTitle>{title}</PageTitle>
          <Suspense fallback={below}>
            <Presence id={id} chatId={chatId} otherwise={below} />
          </Suspense>
        </div>
        {/* Covers the name, because a heading inside a button would not be a heading for screen readers. */}
        <button type="button" aria-label={texts.info.title[kind]} className="absolute inset-0 rounded-md" onClick={() => setOpen("info")} />
      </div>
      <IconButton label={texts.lookUp.open} icon={Search} onClick={() => setOpen("search")} />
      <Suspense>{chat !== null && <ChatMenu id={id} chat={chat} />}</Suspense>
      <Suspense>
        {open === "info" && <ChatInfo id={id} chatId={chatId} onLookUp={setOpen} onClose={close} />}
        {open !== null && open !== "info" && <LookUp id={id} chatId={chatId} first={open} onJump={onJump} onClose={close} />}
      </Suspense>
    </header>
  );
}
