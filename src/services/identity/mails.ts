// Account emails, in Portuguese and English. They contain nothing chosen by a stranger.
import type { Mail, Notice } from "../mail/send.ts";

export function confirmationMail(to: string, appUrl: string, link: string): Mail {
  return {
    to,
    subject: "Confirme seu e-mail / Confirm your email",
    text: `Recebemos um pedido de conta em ${appUrl} com este e-mail.

Para confirmar o e-mail e escolher sua senha, abra este link em até uma hora:
${link}

Se não foi você, não precisa fazer nada: sem este link, ninguém entra com o seu e-mail.

---

Someone, perhaps you, asked for an account at ${appUrl} with this address.

To confirm the address and choose your password, open the link above within one hour.

If it wasn't you, you don't need to do anything: without this link, nobody can sign in with your address.`,
  };
}

/** `link` is null if users sign in through an external issuer. */
export function invitationMail(to: string, appUrl: string, link: string | null): Mail {
  const [inPortuguese, inEnglish] =
    link === null
      ? ["Entre com este e-mail.", "Sign in with this address."]
      : [
          `Para escolher sua senha e entrar, abra este link nos próximos 7 dias:\n${link}\n\nDepois disso, peça outro link em "Esqueci a senha", na página de login.`,
          `To choose your password and sign in, open the link above within 7 days. After that, get a new link from "Forgot password" on the sign-in page.`,
        ];
  return {
    to,
    subject: "Você tem uma conta / You have an account",
    text: `Criamos uma conta para você em ${appUrl}, com este e-mail.

${inPortuguese}

Se você não esperava por isso, ignore esta mensagem.

---

An account was created for you at ${appUrl}, with this address.

${inEnglish}

If you weren't expecting this, ignore this message.`,
  };
}

export function suspendedMail(to: string, appUrl: string): Notice {
  return {
    kind: "account_suspended",
    to,
    subject: "Sua conta está suspensa / Your account is suspended",
    text: `Sua conta em ${appUrl} foi suspensa: as chaves e sessões dela não funcionam, os números estão desconectados e os webhooks não recebem nada. Nada foi apagado. Quando a suspensão acabar, os números voltam sem precisar parear de novo, e você recebe tudo o que chegou nesse período.

Fale com quem administra o serviço.

---

Your account at ${appUrl} has been suspended: its keys and sessions don't work, numbers are disconnected, and webhooks receive nothing. Nothing is deleted. When the suspension ends, the numbers come back without pairing again, and you get everything that arrived in the meantime.

Contact the people who run the service.`,
  };
}

export function deletionMail(to: string, appUrl: string, removalAt: number): Notice {
  const day = new Date(removalAt).toISOString().slice(0, 10);
  return {
    kind: "account_deletion",
    to,
    subject: "Sua conta será apagada / Your account will be deleted",
    text: `Sua conta em ${appUrl} foi encerrada. Em ${day} ela será apagada com tudo o que tem: números, mensagens, arquivos, chaves e webhooks. Até lá, quem administra o serviço pode reativar a conta.

---

Your account at ${appUrl} has been closed. On ${day} it will be deleted with everything in it: numbers, messages, files, keys and webhooks. Until then, the people who run the service can reactivate it.`,
  };
}

export function deletedMail(to: string): Mail {
  return {
    to,
    subject: "Conta apagada / Account deleted",
    text: "Sua conta foi apagada, com tudo o que tinha: números, mensagens, arquivos, chaves e webhooks.\n\n---\n\nYour account was deleted, with everything in it: numbers, messages, files, keys and webhooks.",
  };
}

export function activatedMail(to: string, appUrl: string): Notice {
  return {
    kind: "account_activated",
    to,
    subject: "Sua conta está ativa / Your account is active",
    text: `Sua conta em ${appUrl} está ativa de novo. Os números que estavam conectados voltam automaticamente.

---

Your account at ${appUrl} is active again. Numbers that were connected come back on their own.`,
  };
}

export function resetMail(to: string, appUrl: string, link: string): Mail {
  return {
    to,
    subject: "Escolher uma nova senha / Choose a new password",
    text: `Alguém tentou entrar ou criar uma conta em ${appUrl} com este e-mail, que já tem uma conta.

Para escolher uma nova senha, abra este link em até uma hora:
${link}

Se não foi você, não precisa fazer nada: sua senha continua a mesma.

---

Someone, perhaps you, tried to sign in or sign up at ${appUrl} with this address, which already has an account.

To choose a new password, open the link above within one hour.

If it wasn't you, you don't need to do anything: your password stays the same.`,
  };
}

export function passwordChangedMail(to: string, appUrl: string): Notice {
  return {
    kind: "password_changed",
    to,
    subject: "Sua senha foi alterada / Your password was changed",
    text: `A senha da sua conta em ${appUrl} acabou de ser alterada, e as outras sessões foram encerradas.

Se não foi você, peça uma nova senha agora em ${appUrl} e veja quem mais tem acesso a este e-mail.

---

The password for your account at ${appUrl} was just changed, and your other sessions were ended.

If it wasn't you, request a new password at ${appUrl} now, and check who else has access to this mailbox.`,
  };
}
