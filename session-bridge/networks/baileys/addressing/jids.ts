// The network's addresses (jids) and ours (chat ids). `@s.whatsapp.net` and device parts never leave this folder.
import { chatIdOf, ChatId, type Person } from "../../../../src/protocol/ids.ts";

const STATUS_FEED = "status@broadcast";
const PHONE_SERVER = "s.whatsapp.net";

/** What a jid names, without its device. `phone` and `lid` are users; the others keep their whole id. */
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

/** Null for what is nobody (server, bots, announcements) and for what is not a jid at all. */
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

/** The digits or LID behind a jid of either kind. */
export function userOf(jid: string | null | undefined): string | null {
  const address = addressOf(jid);
  return isPerson(address) ? address.user : null;
}

/** Where a chat of ours is on the network. */
export function jidOfChat(chatId: string): string {
  return chatId.endsWith("@c.us") ? `${chatId.slice(0, -5)}@${PHONE_SERVER}` : chatId;
}

/** A person as the network shall be told: by phone, or by LID where the chat speaks LIDs (or the phone is unknown). */
export function jidOfPerson(person: Person, prefer: "pn" | "lid" = "pn"): string | null {
  const byPhone = person.phone === null ? null : `${person.phone}@${PHONE_SERVER}`;
  const byLid = person.lid === null ? null : `${person.lid}@lid`;
  return prefer === "lid" ? (byLid ?? byPhone) : (byPhone ?? byLid);
}

/** The chat id when it is one that the contract knows; anything else is nobody's chat and is dropped where it came in. */
export function asChatId(id: string): ChatId | null {
  return ChatId.safeParse(id).success ? id : null;
}

export function personChat(person: Person): ChatId {
  return chatIdOf(person);
}
