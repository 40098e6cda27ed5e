// Emails that the account's guard sends later (docs/operate/operations.md, "Email").
import type { Env } from "../../env.ts";
import { errorFields, log } from "../../log.ts";
import { accountGuardStub } from "../accounts/guard.ts";
import { retried } from "../object-calls.ts";
import { type Notice, type OwnerNotice, sendNotice } from "./send.ts";

/** Resolves once the owner's account guard has stored the notice. The guard combines notices into one email. Identity emails go first. */
export async function addOwnerNotice(env: Pick<Env, "ACCOUNT_GUARD">, ownerId: string, notice: OwnerNotice): Promise<void> {
  await retried(() => accountGuardStub(env, ownerId).addNotice(ownerId, notice));
}

/** Throws if the platform refuses the email. The account's guard then sends it later. */
export async function sendNoticeTo(env: Env, userId: string, notice: Notice): Promise<void> {
  const { kind, subject, text } = notice;
  await keptIfRefused(sendNotice(env, notice), () => addOwnerNotice(env, userId, { kind, subject, text }));
}

/** Also throws the platform's error if the email could not be stored for later. */
export async function keptIfRefused(sending: Promise<void>, keep: () => Promise<void>): Promise<void> {
  try {
    await sending;
  } catch (error) {
    await keep().catch((failed: unknown) => log("mail.not_kept", errorFields(failed)));
    throw error;
  }
}
