// Converts between the network's JIDs and the contract's chat ids. `@s.whatsapp.net` and device suffixes never leave the driver.
import { chatIdOf, ChatId, type Person } from "@gateway/protocol/ids.ts";

const STATUS_FEED = "status@broadcast";
const PHONE_SERVER = "s.whatsapp.net";

/** A JID's target, without the device. For people, only the phone number or LID is kept, and for other kinds the whole id. */
export type PersonAddress = { kind: "phone" | "lid"; user: string };
type SharedAddress = { kind: "group" | "channel" | "status" | "list"; id: string };
export type Address = PersonAddress | SharedAddress;

const KINDS: Record<string, Address["kind"]> = {
  [PHONE_SERVER]: "phone",
  "c.us": "phone",
  hosted: "phone",
  lid: "lid",
  "hosted.lid": "lid",
  "g.us": "group",
  newsletter: "channel",
  broadcast: "list",
};

/** Returns null for invalid JIDs and for those that are neither a person nor a chat (server, bots, announcements). */
export function addressOf(jid: string | null | undefined): Address | null {
  if (!jid) return null;
  const at = jid.indexOf("@");
  const kind = at > 0 ? KINDS[jid.slice(at + 1)] : undefined;
  if (kind === undefined) return null;
  if (kind === "phone" || kind === "lid") {
    const user = userPart(jid, at);
    // `0@s.whatsapp.net` is the JID of the network itself.
    return user.length < 5 ? null : { kind, user };
  }
  if (kind === "list" && jid === STATUS_FEED) return { kind: "status", id: jid };
  return { kind, id: jid };
}

function userPart(jid: string, at: number): string {
  for (let i = 0; i < at; i++) {
    const letter = jid.charCodeAt(i);
    if (letter === 58 || letter === 95) return jid.slice(0, i);
  }
  return jid.slice(0, at);
}

export function isPerson(address: Address | null): address is PersonAddress {
  return address?.kind === "phone" || address?.kind === "lid";
}

export function userOf(jid: string | null | undefined): string | null {
  const address = addressOf(jid);
  return isPerson(address) ? address.user : null;
}

export function jidOfChat(chatId: string): string {
  return chatId.endsWith("@c.us") ? `${chatId.slice(0, -5)}@${PHONE_SERVER}` : chatId;
}

export function jidOfPerson(person: Person, prefer: "pn" | "lid" = "pn"): string | null {
  const byPhone = person.phone === null ? null : `${person.phone}@${PHONE_SERVER}`;
  const byLid = person.lid === null ? null : `${person.lid}@lid`;
  return prefer === "lid" ? (byLid ?? byPhone) : (byPhone ?? byLid);
}

export function jidsOf({ phone, lid }: Person): string[] {
  return [...(lid === null ? [] : [`${lid}@lid`]), ...(phone === null ? [] : [`${phone}@${PHONE_SERVER}`])];
}

export function asChatId(id: string): ChatId | null {
  return ChatId.safeParse(id).success ? id : null;
}

export function personChat(person: Person): ChatId {
  return chatIdOf(person);
}
