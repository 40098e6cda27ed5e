// Ids as worker, object and bridge exchange them. `@s.whatsapp.net` is used only inside the bridge.
import * as z from "zod";

/** 7 to 15 digits without a leading zero (docs/use/apis.md, "Ids, phones and times"). */
export const Phone = z.string().regex(/^[1-9]\d{6,14}$/);

/** `<phone>@c.us`, or `<lid>@lid` while the phone is unknown. Groups, channels and the status feed have ids too. */
export const ChatId = z.string().regex(/^(\d{5,20}@(c\.us|lid)|[\d-]{5,40}@g\.us|\d{5,40}@newsletter|status@broadcast)$/);
export type ChatId = z.infer<typeof ChatId>;

/** Digits that the network uses as the id of a person whose phone number it hides. */
export const Lid = z.string().regex(/^\d{5,20}$/);

export const LidPair = z.object({ lid: Lid, phone: Phone });

/** A UUID as the gateway writes it: in lower case. */
export const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

export const MessageId = z.string().min(1).max(256);

/** `lid` is internal, so customers never see it as a phone number. */
export const Person = z.object({ phone: z.string().nullable(), lid: z.string().nullable() });
export type Person = z.infer<typeof Person>;

export type ChatKind = "direct" | "group" | "channel" | "status";

export function chatKind(chatId: string): ChatKind {
  if (chatId.endsWith("@g.us")) return "group";
  if (chatId.endsWith("@newsletter")) return "channel";
  return chatId === "status@broadcast" ? "status" : "direct";
}

/** The id contains the phone number if it is known, otherwise the LID (docs/use/events.md, "Fields of events"). */
export function chatIdOf(person: Person): ChatId {
  return person.phone === null ? `${person.lid ?? "0"}@lid` : `${person.phone}@c.us`;
}

export function personOf(chatId: string): Person | null {
  const [user, server] = chatId.split("@");
  if (user === undefined || (server !== "c.us" && server !== "lid")) return null;
  return server === "c.us" ? { phone: user, lid: null } : { phone: null, lid: user };
}
