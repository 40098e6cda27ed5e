import { settingsOf, type Env } from "../../env.ts";

export type Mail = { to: string; subject: string; text: string };

/** Sends a plain-text mail. Throws when the platform refuses it. */
export async function sendMail(env: Env, { to, subject, text }: Mail): Promise<void> {
  await env.MAIL.send({ from: settingsOf(env).MAIL_FROM, to, subject: oneLine(subject), text });
}

/** A header is one line (RFC 5322, 2.2): names that customers choose must not inject another header. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
}
