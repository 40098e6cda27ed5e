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

/** Accepts `<lid>@lid` and bare digits. */
export function readLid(text: string): string | null {
  const lid = text.trim().replace(/@lid$/, "");
  return Lid.safeParse(lid).success ? lid : null;
}
