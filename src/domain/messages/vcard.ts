// vCards (RFC 6350). The network's phones write version 3.0. `waid` in the TEL line gives a card its "message" button.
import type { z } from "zod";
import type { ContactCard } from "@gateway/protocol/message.ts";

type Card = z.infer<typeof ContactCard>;

export type Person = { fullName: string; phone: string | null; hasAccount?: boolean; organization: string | null; email: string | null };

export function formatCard({ fullName, phone, hasAccount = true, organization, email }: Person): Card {
  const name = escaped(fullName);
  const lines = ["BEGIN:VCARD", "VERSION:3.0", `N:;${name};;;`, `FN:${name}`];
  if (organization !== null) lines.push(`ORG:${escaped(organization)}`);
  if (phone !== null) lines.push(`TEL;type=CELL;type=VOICE${hasAccount ? `;waid=${phone}` : ""}:+${phone}`);
  if (email !== null) lines.push(`EMAIL:${escaped(email)}`);
  return { full_name: fullName, phone, vcard: [...lines, "END:VCARD"].join("\n") };
}

/** Returns null if the text is not a vCard or has no name. `phone` is the `waid`, or otherwise the first number. */
export function readCard(vcard: string): Card | null {
  const unfolded = vcard.replaceAll(/\r?\n[ \t]/g, "");
  if (!/^\s*BEGIN:VCARD\r?\n/i.test(unfolded) || !/\r?\nEND:VCARD\s*$/i.test(unfolded)) return null;
  const name = field(unfolded, "FN") ?? nameOf(field(unfolded, "N"));
  if (name === null || name === "") return null;
  const account = /waid=(\d{7,15})/.exec(unfolded)?.[1];
  const digits = field(unfolded, "TEL")?.replaceAll(/\D/g, "") ?? "";
  return { full_name: name, phone: account ?? (digits === "" ? null : digits), vcard };
}

export type CardFields = {
  given: string | null;
  family: string | null;
  phones: { number: string; account: string | null }[];
  emails: string[];
  organization: string | null;
};

export function cardFields(vcard: string): CardFields {
  const unfolded = vcard.replaceAll(/\r?\n[ \t]/g, "");
  const [family = "", given = ""] = (field(unfolded, "N") ?? "").split(";");
  const phones = fields(unfolded, "TEL").map(({ parameters, value }) => ({
    number: value.replaceAll(/[^\d+]/g, ""),
    account: /waid=(\d{7,15})/.exec(parameters)?.[1] ?? null,
  }));
  return {
    given: given.trim() || null,
    family: family.trim() || null,
    phones: phones.filter(({ number }) => /\d/.test(number)),
    emails: fields(unfolded, "EMAIL").map(({ value }) => value),
    organization: field(unfolded, "ORG")?.split(";")[0] || null,
  };
}

function nameOf(structured: string | null): string | null {
  const [family = "", given = ""] = (structured ?? "").split(";");
  return `${given} ${family}`.trim();
}

function field(vcard: string, name: string): string | null {
  return fields(vcard, name)[0]?.value ?? null;
}

function fields(vcard: string, name: string): { parameters: string; value: string }[] {
  const lines = vcard.matchAll(new RegExp(`^(?:[\\w-]+\\.)?${name}(;[^:\\r\\n]*)?:(.*)$`, "gim"));
  return [...lines].map(([, parameters = "", value = ""]) => ({
    parameters,
    value: value
      .trim()
      .replaceAll(/\\([\\;,])/g, "$1")
      .replaceAll(/\\n/gi, " "),
  }));
}

function escaped(text: string): string {
  return text.replaceAll(/[\\;,]/g, (letter) => `\\${letter}`).replaceAll(/[\r\n]+/g, " ");
}
