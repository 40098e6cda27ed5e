// JIDs of the network and chat ids of the contract. `@s.whatsapp.net` and device parts never leave the driver.
import { chatIdOf, ChatId, type Person } from "@gateway/protocol/ids.ts";

const STATUS_FEED = "status@broadcast";
const PHONE_SERVER = "s.whatsapp.net";

/** What a JID addresses, without its device. `phone` and `lid` are users; the others keep their whole id. */
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

/** Null for JIDs that are neither person nor chat (server, bots, announcements) and for what is no JID. */
export function addressOf(jid: string | null | undefined): Address | null {
  if (!jid) return null;
  const at = jid.indexOf("@");
  const kind = at > 0 ? KINDS[jid.slice(at + 1)] : undefined;
  if (kind === undefined) return null;
  if (kind === "phone" || kind === "lid") {
    const user = userPart(jid, at);
    // `0@s.whatsapp.net` is the network itself.
    return user.length < 5 ? null : { kind, user };
  }
  if (kind === "list" && jid === STATUS_FEED) return { kind: "status", id: jid };
  return { kind, id: jid };
}

// `user[_agent][:device]@server`
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

/** The number or LID in a JID of either kind. */
export function userOf(jid: string | null | undefined): string | null {
  const address = addressOf(jid);
  return isPerson(address) ? address.user : null;
}

/** The JID of a chat id. */
export function jidOfChat(chatId: string): string {
  return chatId.endsWith("@c.us") ? `${chatId.slice(0, -5)}@${PHONE_SERVER}` : chatId;
}

/** A person's JID: by phone, or by LID where the chat is addressed by LID (or the phone is unknown). */
export function jidOfPerson(person: Person, prefer: "pn" | "lid" = "pn"): string | null {
  const byPhone = person.phone === null ? null : `${person.phone}@${PHONE_SERVER}`;
  const byLid = person.lid === null ? null : `${person.lid}@lid`;
  return prefer === "lid" ? (byLid ?? byPhone) : (byPhone ?? byLid);
}

/** Every JID that is known of a person. */
export function jidsOf({ phone, lid }: Person): string[] {
  return [...(lid === null ? [] : [`${lid}@lid`]), ...(phone === null ? [] : [`${phone}@${PHONE_SERVER}`])];
}

/** The id if it is a valid chat id of the contract; events of anything else are dropped. */
export function asChatId(id: string): ChatId | null {
  return ChatId.safeParse(id).success ? id : null;
}

export function personChat(person: Person): ChatId {
  return chatIdOf(person);
}
