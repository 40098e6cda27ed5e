// Reads and writes vCards. In the network's vCards, `waid=` marks a phone number that has an account.
import type { proto } from "baileys";
import type { z } from "zod";
import type { ContactCard } from "@gateway/protocol/message.ts";

export type Card = z.infer<typeof ContactCard>;

export function cardsOf(cards: readonly proto.Message.IContactMessage[]): Card[] {
  return cards.map(({ displayName, vcard }) => {
    const text = vcard ?? "";
    return { full_name: displayName || field(text, "FN") || "", phone: phoneOf(text), vcard: text };
  });
}

export function vcardOf({ full_name, phone, vcard }: Card): string {
  if (vcard !== "") return phone === null ? vcard : withAccount(vcard, phone);
  const name = escaped(full_name);
  const lines = ["BEGIN:VCARD", "VERSION:3.0", `N:;${name};;;`, `FN:${name}`];
  if (phone !== null) lines.push(`TEL;type=CELL;type=VOICE;waid=${phone}:+${phone}`);
  return [...lines, "END:VCARD"].join("\n");
}

function phoneOf(vcard: string): string | null {
  const account = /waid=(\d{5,20})/.exec(vcard)?.[1];
  if (account !== undefined) return account;
  const digits = field(vcard, "TEL")?.replace(/\D/g, "");
  return digits ? digits : null;
}

// Without `waid`, the recipient's phone does not show a "message" button.
function withAccount(vcard: string, phone: string): string {
  if (/waid=/.test(vcard)) return vcard;
  return vcard.replace(/^((?:[\w-]+\.)?TEL[^:\r\n]*):(.+)$/m, (line, head: string, number: string) =>
    number.replace(/\D/g, "").endsWith(phone.slice(-8)) ? `${head};waid=${phone}:${number}` : line,
  );
}

function field(vcard: string, name: string): string | null {
  return new RegExp(`^(?:[\\w-]+\\.)?${name}[^:\\r\\n]*:(.+)$`, "m").exec(vcard)?.[1]?.trim() ?? null;
}

function escaped(text: string): string {
  return text.replace(/[\\;,]/g, (letter) => `\\${letter}`).replace(/\r?\n/g, " ");
}
