import { settingsOf, type Env } from "../../env.ts";

export type Mail = { to: string; subject: string; text: string };

/** Hands one plain-text mail to the platform. Throws when it does not take it. */
export async function sendMail(env: Env, mail: Mail): Promise<void> {
  await env.MAIL.send({ from: settingsOf(env).MAIL_FROM, ...mail });
}
