import { settingsOf, type Env } from "../../env.ts";
import { errorFields, log } from "../../log.ts";
import { countMail } from "../identity/address-guards.ts";
import { sendMail } from "../mail/send.ts";

/** Tells whoever has this address that something was shared with it. Left out beyond the mailbox's limit, without anybody being told. */
export async function sendInvitation(env: Env, to: string, ownerEmail: string): Promise<void> {
  const { APP_URL } = settingsOf(env);
  const text = `${ownerEmail} compartilhou uma conexão do WhatsApp com este endereço em ${APP_URL}.

Para vê-la, entre com este endereço. Quem ainda não tem conta cria uma com ele e confirma o e-mail.
Se você não conhece quem compartilhou, ignore esta mensagem.

---

${ownerEmail} shared a WhatsApp connection with this address at ${APP_URL}.

To see it, sign in with this address. Whoever has no account yet signs up with it and confirms the mail.
If you do not know who shared it, ignore this message.`;
  try {
    const { blocked } = await countMail(env, to, "invitations");
    if (!blocked) await sendMail(env, { to, subject: "Uma conexão foi compartilhada com você / A connection was shared with you", text });
  } catch (error) {
    log("share.mail_failed", errorFields(error));
  }
}
