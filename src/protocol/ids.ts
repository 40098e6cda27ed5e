// Identifiers as they cross between worker, object and bridge. `@s.whatsapp.net` never leaves the bridge.
import { z } from "zod";

/** Digits only, 7-15, no leading zero (docs/use/apis.md, "Ids, phones and times"). */
export const Phone = z.string().regex(/^[1-9]\d{6,14}$/);

/** `<phone>@c.us` when the phone is known, `<lid>@lid` only while it is not, groups, channels and the status feed. */
export const ChatId = z.string().regex(/^(\d{5,20}@(c\.us|lid)|[\d-]{5,40}@g\.us|\d{5,40}@newsletter|status@broadcast)$/);
export type ChatId = z.infer<typeof ChatId>;

/** Digits: what the network calls a person where it does not tell the phone number. */
export const Lid = z.string().regex(/^\d{5,20}$/);

/** Both names of one person; `phone` as the network spells it. */
export const LidPair = z.object({ lid: Lid, phone: Phone });

export const MessageId = z.string().min(1).max(256);

/** A person as the network names them; `lid` is internal and is never shown to customers as a phone. */
export const Person = z.object({ phone: z.string().nullable(), lid: z.string().nullable() });
export type Person = z.infer<typeof Person>;

export type ChatKind = "direct" | "group" | "channel" | "status";

/** The kind of chat an id names. */
export function chatKind(chatId: string): ChatKind {
  if (chatId.endsWith("@g.us")) return "group";
  if (chatId.endsWith("@newsletter")) return "channel";
  return chatId === "status@broadcast" ? "status" : "direct";
}

/** The chat id of a person: by phone when it is known (docs/use/events.md, "Rules of the data"), else by LID. */
export function chatIdOf(person: Person): ChatId {
  return person.phone === null ? `${person.lid ?? "0"}@lid` : `${person.phone}@c.us`;
}

/** The person a one-to-one chat id names; null for groups, channels and the status feed. */
export function personOf(chatId: string): Person | null {
  const [user, server] = chatId.split("@");
  if (user === undefined || (server !== "c.us" && server !== "lid")) return null;
  return server === "c.us" ? { phone: user, lid: null } : { phone: null, lid: user };
}
