// The control API speaks phone numbers (`…@c.us`); the wire speaks jids, by phone number or by LID.
import { isJidGroup, isJidNewsletter, jidDecode, jidEncode, jidNormalizedUser } from "baileys";

export const STATUS_FEED = "status@broadcast";

/** The part of the server's directory that turns a jid into a person. */
export interface Directory {
  find(jid: string): { readonly pn: string; readonly lid: string } | undefined;
}

/** The chat id shown for a jid: `<digits>@c.us` when the phone is known, `<lid>@lid` when not, groups and feeds as they are. */
export function chatIdOf(jid: string, directory: Directory): string {
  if (isSharedChat(jid)) return jid;
  const account = directory.find(jid);
  if (account) return `${account.pn}@c.us`;
  const decoded = jidDecode(jid);
  return decoded?.server === "s.whatsapp.net" ? `${decoded.user}@c.us` : jidNormalizedUser(jid);
}

/** The jid of a chat id or of bare digits; people are addressed by phone number. */
export function jidOf(chatId: string): string {
  if (!chatId.includes("@")) return jidEncode(chatId, "s.whatsapp.net");
  return chatId.replace(/@c\.us$/, "@s.whatsapp.net");
}

/** The digits behind a jid, or its LID when the directory knows no phone for it. */
export function personOf(jid: string, directory: Directory): string {
  return chatIdOf(jidNormalizedUser(jid), directory).replace(/@.*$/, "");
}

/** Groups, channels and the status feed: chats that are not one other person. */
export function isSharedChat(jid: string): boolean {
  return isJidGroup(jid) === true || isJidNewsletter(jid) === true || jid === STATUS_FEED;
}
