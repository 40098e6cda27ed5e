// Chat ids as callers may write them (docs/use/apis.md, "Ids, phones and times"). All functions return the canonical form, or null.
import { ChatId, Lid } from "@gateway/protocol/ids.ts";

const PHONE = /^[1-9]\d{6,14}$/;

/** Accepts `<phone>@c.us`, bare digits, `<phone>@s.whatsapp.net`, `<id>@g.us`, `<id>@newsletter` and `<lid>@lid`. */
export function readChatId(text: string): string | null {
  const [user = "", server, ...rest] = text.trim().split("@");
  if (rest.length > 0) return null;
  if (server === undefined || server === "c.us" || server === "s.whatsapp.net") return PHONE.test(user) ? `${user}@c.us` : null;
  const id = ChatId.safeParse(`${user}@${server}`);
  return id.success && id.data !== "status@broadcast" ? id.data : null;
}

export function readGroupId(text: string): string | null {
  const id = readChatId(text);
  return id?.endsWith("@g.us") === true ? id : null;
}

export function readPersonId(text: string): string | null {
  const id = readChatId(text);
  return id?.endsWith("@c.us") === true || id?.endsWith("@lid") === true ? id : null;
}

export function readLid(text: string): string | null {
  const lid = text.trim().replace(/@lid$/, "");
  return Lid.safeParse(lid).success ? lid : null;
}

// Channel and group ids as people share them: an id, an invite code, or a link ending in the code.
const CHANNEL_ID = /^\d{5,40}@newsletter$/;
const CHANNEL_CODE = /^[A-Za-z0-9_-]{8,64}$/;
const CHANNEL_LINK = /^(?:https?:\/\/)?[a-z0-9.-]+\/channel\/([A-Za-z0-9_-]{8,64})\/?(?:[?#].*)?$/i;

export function readChannelKey(text: string): string | null {
  const trimmed = text.trim();
  return CHANNEL_ID.test(trimmed) || CHANNEL_CODE.test(trimmed) ? trimmed : (CHANNEL_LINK.exec(trimmed)?.[1] ?? null);
}

export function isChannelId(key: string): boolean {
  return CHANNEL_ID.test(key);
}

const INVITE_CODE = /^[A-Za-z0-9_-]{6,64}$/;
const INVITE_LINK = /^(?:https?:\/\/)?[a-z0-9.-]+\/(?:invite\/)?([A-Za-z0-9_-]{6,64})\/?(?:[?#].*)?$/i;

export function readInviteCode(text: string): string | null {
  const trimmed = text.trim();
  return INVITE_CODE.test(trimmed) ? trimmed : (INVITE_LINK.exec(trimmed)?.[1] ?? null);
}
