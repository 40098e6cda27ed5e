import { settingsOf, type Env } from "../../env.ts";
import { log } from "../../log.ts";
import { countMail } from "../identity/address-guards.ts";

export type Mail = { to: string; subject: string; text: string };

/** `kind` is logged instead of the subject, which can contain names. */
export type Notice = Mail & {
  kind:
    | "password_changed"
    | "connection_stopped"
    | "webhook_disabled"
    | "connection_down"
    | "webhook_failing"
    | "number_restricted"
    | "phone_unseen"
    | "credentials_refused"
    | "number_changed"
    | "account_suspended"
    | "account_deletion"
    | "account_activated"
    | "proxy"
    | "fleet_alarm"
    | "numbers_away";
};

export async function sendMail(env: Env, { to, subject, text }: Mail): Promise<void> {
  await env.MAIL.send({ from: settingsOf(env).MAIL_FROM, to, subject: oneLine(subject), text });
}

/** Unsolicited mails are counted per mailbox and dropped beyond its limit. Throws when the platform refuses the mail. */
export async function sendNotice(env: Env, notice: Notice): Promise<void> {
  const { blocked } = await countMail(env, notice.to, "notices");
  if (blocked) log("mail.left_out", { kind: notice.kind });
  else await sendMail(env, notice);
}

/** A header is one line (RFC 5322, 2.2), so names that customers choose must not inject another header. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
}
