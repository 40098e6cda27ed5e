// Converts between the control API's phone numbers (`…@c.us`) and the wire's JIDs, by phone or LID.
import { isJidGroup, isJidNewsletter, jidDecode, jidEncode, jidNormalizedUser } from "baileys";

export const STATUS_FEED = "status@broadcast";

export type Directory = {
  find(jid: string): { readonly pn: string; readonly lid: string } | undefined;
};

/** Returns `<digits>@c.us` if the phone number is known, and otherwise `<lid>@lid`. Groups and feeds stay unchanged. */
export function chatIdOf(jid: string, directory: Directory): string {
  if (isSharedChat(jid)) return jid;
  const account = directory.find(jid);
  if (account) return `${account.pn}@c.us`;
  const decoded = jidDecode(jid);
  return decoded?.server === "s.whatsapp.net" ? `${decoded.user}@c.us` : jidNormalizedUser(jid);
}

/** Returns the JID of a chat id or of bare digits. People are addressed by phone number. */
export function jidOf(chatId: string): string {
  if (!chatId.includes("@")) return jidEncode(chatId, "s.whatsapp.net");
  return chatId.replace(/@c\.us$/, "@s.whatsapp.net");
}

export function personOf(jid: string, directory: Directory): string {
  return chatIdOf(jidNormalizedUser(jid), directory).replace(/@.*$/, "");
}

export function isSharedChat(jid: string): boolean {
  return isJidGroup(jid) === true || isJidNewsletter(jid) === true || jid === STATUS_FEED;
}
