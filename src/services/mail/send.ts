import { settingsOf, type Env } from "../../env.ts";
import { errorFields, log } from "../../log.ts";
import { isQuotaError } from "@gateway/domain/admission/mail-quota.ts";
import { countMail, pauseOwnerMails } from "../identity/address-guards.ts";
import { htmlOf } from "./html.ts";
import { recordMailFailure, recordMailSuccess } from "./failures.ts";

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
    | "numbers_away"
    | "digest";
};

/** Collected by the account guard and sent together (owner-notices.ts). */
export type OwnerNotice = Omit<Notice, "to">;

/** Throws when the platform refuses the email. */
export async function sendMail(env: Env, { to, subject, text }: Mail): Promise<void> {
  try {
    const { MAIL_FROM, APP_URL } = settingsOf(env);
    const line = oneLine(subject);
    await env.MAIL.send({ from: MAIL_FROM, to, subject: line, text, html: htmlOf({ subject: line, text }, APP_URL) });
  } catch (error) {
    const refusal = refusalOf(error);
    if (isQuotaError(refusal)) await recorded(quotaUsedUp(env));
    await recorded(recordMailFailure(env.DB, refusal, Date.now()));
    // The original message can contain the recipient, and callers log it.
    throw new Error(refusal, { cause: error });
  }
  await recorded(recordMailSuccess(env.DB, Date.now()));
}

/** The failure is logged for operators, because an email would not reach them. */
async function quotaUsedUp(env: Env): Promise<void> {
  if (await pauseOwnerMails(env)) log("mail.quota_used_up", {});
}

/** A D1 failure must not affect whether the email is sent. */
async function recorded(writing: Promise<void>): Promise<void> {
  await writing.catch((error: unknown) => log("mail.not_recorded", errorFields(error)));
}

const REFUSAL_CHARACTERS = 200;

/** The platform's code, such as E_SENDER_NOT_VERIFIED, and its message. Addresses must be neither stored nor logged. */
function refusalOf(error: unknown): string {
  const { code, message = "unknown error" } = error as Partial<Error & { code: string }>;
  const reason = code === undefined || message.includes(code) ? message : `${code}, ${message}`;
  return reason.replaceAll(/[^\s<>"']+@[^\s<>"']+/g, "…").slice(0, REFUSAL_CHARACTERS);
}

/** Unsolicited emails are counted per mailbox and dropped beyond its limit. Throws if the platform refuses the email. */
export async function sendNotice(env: Env, notice: Notice): Promise<void> {
  const { blocked } = await countMail(env, notice.to, "notices");
  if (blocked) log("mail.left_out", { kind: notice.kind });
  else await sendMail(env, notice);
}

/** A header is one line (RFC 5322, 2.2), so names that customers choose must not inject another header. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
}
