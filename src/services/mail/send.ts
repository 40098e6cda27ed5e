import { settingsOf, type Env } from "../../env.ts";

export type Mail = { to: string; subject: string; text: string };

/** Hands one plain-text mail to the platform as fields, which it encodes. Throws when it does not take it. */
export async function sendMail(env: Env, { to, subject, text }: Mail): Promise<void> {
  await env.MAIL.send({ from: settingsOf(env).MAIL_FROM, to, subject: oneLine(subject), text });
}

/** A header is one line (RFC 5322, 2.2): what customers name their things must not begin another, nor keep the mail from going. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
}
