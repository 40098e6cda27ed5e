// The email to a person with whom a connection was shared (docs/operate/signing-in.md, "Shares").
import { and, eq, isNull } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { connection, shareInvitation, user } from "../../db/schema.ts";
import { type Env, settingsOf } from "../../env.ts";
import { errorFields, log } from "../../log.ts";
import { accountGuardStub } from "../accounts/guard.ts";
import { countMail } from "../identity/address-guards.ts";
import { keptIfRefused } from "../mail/owner-notices.ts";
import { type Mail, sendMail } from "../mail/send.ts";
import { retried } from "../object-calls.ts";
import type { Share } from "./shares.ts";

const ROLE_NAMES: Readonly<Record<Share["role"], { pt: string; en: string }>> = {
  operator: { pt: "operador (visualiza e usa)", en: "operator (can use it)" },
  viewer: { pt: "leitor (só visualiza)", en: "viewer (can only view it)" },
};

/** `later` means that the owner's guard will send it, and `not_sent` that the mailbox is at its limit or the guard could not store it. */
type InvitationOutcome = "sent" | "later" | "not_sent";

/** `invitation` is the id of the share. Never throws, because the share is valid without the email. */
export async function sendInvitation(
  env: Env,
  { ownerId, invitation, to }: { ownerId: string; invitation: string; to: string },
): Promise<InvitationOutcome> {
  let outcome: InvitationOutcome = "not_sent";
  const send = async () => {
    const { blocked } = await countMail(env, to, "invitations");
    if (blocked) return;
    await sendOwedInvitation(env, invitation);
    outcome = "sent";
  };
  const keep = async () => {
    await retried(() => accountGuardStub(env, ownerId).oweMail("invitation", invitation, Date.now()));
    outcome = "later";
  };
  await keptIfRefused(send(), keep).catch((error: unknown) => log("share.mail_failed", errorFields(error)));
  return outcome;
}

/** Does nothing if the share or the connection was removed, or the owner suspended. Throws if the platform refuses the email. */
export async function sendOwedInvitation(env: Env, id: string): Promise<void> {
  const [found] = await databaseOf(env.DB)
    .select({ to: shareInvitation.email, role: shareInvitation.role, id: connection.id, name: connection.name, owner: user.email })
    .from(shareInvitation)
    .innerJoin(connection, and(eq(connection.id, shareInvitation.connectionId), isNull(connection.removedAt)))
    .innerJoin(user, and(eq(user.id, connection.ownerId), eq(user.status, "active")))
    .where(eq(shareInvitation.id, id));
  if (found !== undefined) await sendMail(env, invitationMail(found, settingsOf(env).APP_URL));
}

type Invited = { to: string; role: Share["role"]; id: number; name: string; owner: string };

function invitationMail({ to, role, id, name, owner }: Invited, appUrl: string): Mail {
  const link = `${appUrl}/connections/${id}`;
  return {
    to,
    subject: "Uma conexão foi compartilhada com você / A connection was shared with you",
    text: `${owner} compartilhou a conexão do WhatsApp “${name}” com este e-mail. Sua função: ${ROLE_NAMES[role].pt}.

Para ver a conexão, entre com este e-mail. Se ainda não tem conta, crie uma com ele e confirme o e-mail.
${link}

Se você não conhece quem compartilhou, ignore esta mensagem.

---

${owner} shared the WhatsApp connection “${name}” with this address. Your role: ${ROLE_NAMES[role].en}.

To see it, sign in with this address. If you have no account yet, sign up with it and confirm the email.
${link}

If you don't know who shared it, ignore this message.`,
  };
}
