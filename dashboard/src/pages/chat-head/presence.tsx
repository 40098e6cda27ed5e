// "online" and "typing…" in a chat's head. Only chats that a program has subscribed to have these events.
import { type ReactNode, useEffect, useState } from "react";
import { useFrames } from "../../api/live.ts";
import { CHATS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { namesIn } from "../chats/names.ts";

/** The network's own apps stop showing "typing" after this long. */
const TYPING_MS = 30_000;

type Event = { type: string; data: { chat_id?: string; phone?: string | null; presence?: string } };
type Seen = { presence: "online" | "typing" | "recording"; phone: string | null };

/** `otherwise` is shown while nothing is known. */
export function Presence({ id, chatId, otherwise }: { id: string; chatId: string; otherwise: ReactNode }) {
  const texts = useTexts(CHATS);
  const [seen, setSeen] = useState<Seen | null>(null);
  const isGroup = chatId.endsWith("@g.us");
  useFrames(({ type, data }) => {
    // Nobody reports presence to a number that is offline.
    if (type === "status" && (data as { status: string }).status !== "connected") setSeen(null);
    if (type !== "event") return;
    const event = data as Event;
    if (event.data?.chat_id !== chatId) return;
    const { presence, phone = null } = event.data;
    if (event.type === "message.received") setSeen((before) => (before === null || isGroup ? null : { presence: "online", phone }));
    if (event.type !== "presence") return;
    if (presence === "typing" || presence === "recording") setSeen({ presence, phone });
    else setSeen(isGroup || presence === "offline" ? null : { presence: "online", phone });
  });
  useEffect(() => {
    if (seen === null || seen.presence === "online") return undefined;
    const timer = setTimeout(() => setSeen(isGroup ? null : { ...seen, presence: "online" }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [seen, isGroup]);
  if (seen === null) return otherwise;
  const who = isGroup && seen.phone !== null ? namesIn(id, texts.you)(seen.phone) : undefined;
  return (
    <p className="truncate text-sm text-accent">
      {who !== undefined && `${who}: `}
      {texts.presence[seen.presence]}
    </p>
  );
}
