// Contacts as vCards (RFC 6350; the network's phones write version 3.0). `waid` in the TEL line gives a card its "message" button.
import type { z } from "zod";
import type { ContactCard } from "../../protocol/message.ts";

type Card = z.infer<typeof ContactCard>;

export type Person = { fullName: string; phone: string; organization: string | null; email: string | null };

export function formatCard({ fullName, phone, organization, email }: Person): Card {
  const name = escaped(fullName);
  const lines = ["BEGIN:VCARD", "VERSION:3.0", `N:;${name};;;`, `FN:${name}`];
  if (organization !== null) lines.push(`ORG:${escaped(organization)}`);
  lines.push(`TEL;type=CELL;type=VOICE;waid=${phone}:+${phone}`);
  if (email !== null) lines.push(`EMAIL:${escaped(email)}`);
  return { full_name: fullName, phone, vcard: [...lines, "END:VCARD"].join("\n") };
}

/** Null when the text is no vCard, or one without a name. `phone`: the `waid`, else the first number. */
export function readCard(vcard: string): Card | null {
  const unfolded = vcard.replaceAll(/\r?\n[ \t]/g, "");
  if (!/^\s*BEGIN:VCARD\r?\n/i.test(unfolded) || !/\r?\nEND:VCARD\s*$/i.test(unfolded)) return null;
  const name = field(unfolded, "FN") ?? nameOf(field(unfolded, "N"));
  if (name === null || name === "") return null;
  const account = /waid=(\d{7,15})/.exec(unfolded)?.[1];
  const digits = field(unfolded, "TEL")?.replaceAll(/\D/g, "") ?? "";
  return { full_name: name, phone: account ?? (digits === "" ? null : digits), vcard };
}

/** `family;given;…` as `given family`. */
function nameOf(structured: string | null): string | null {
  const [family = "", given = ""] = (structured ?? "").split(";");
  return `${given} ${family}`.trim();
}

function field(vcard: string, name: string): string | null {
  const value = new RegExp(`^(?:[\\w-]+\\.)?${name}(?:;[^:\\r\\n]*)?:(.*)$`, "im").exec(vcard)?.[1]?.trim();
  return value === undefined ? null : value.replaceAll(/\\([\\;,])/g, "$1").replaceAll(/\\n/gi, " ");
}

function escaped(text: string): string {
  return text.replaceAll(/[\\;,]/g, (letter) => `\\${letter}`).replaceAll(/[\r\n]+/g, " ");
}
