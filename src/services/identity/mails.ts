// What people are mailed about their accounts, in Portuguese and English. Nothing that a stranger can choose stands in them.
import type { Mail, Notice } from "../mail/send.ts";

/** To an address that nobody has confirmed yet. */
export function confirmationMail(to: string, appUrl: string, link: string): Mail {
  return {
    to,
    subject: "Confirme seu e-mail / Confirm your e-mail",
    text: `Alguém, talvez você, pediu uma conta com este endereço em ${appUrl}.

Para confirmar o endereço e escolher a sua senha, abra este link na próxima hora:
${link}

Se não foi você, não faça nada: sem este link ninguém entra com o seu endereço.

---

Somebody, perhaps you, asked for an account with this address at ${appUrl}.

To confirm the address and choose your password, open the link above within the hour.

If it was not you, do nothing: without this link nobody gets in with your address.`,
  };
}

/** To somebody for whom an administrator has made an account. `link` null: they sign in as they do elsewhere. */
export function invitationMail(to: string, appUrl: string, link: string | null): Mail {
  const [inPortuguese, inEnglish] =
    link === null
      ? ["Entre com este endereço.", "Sign in with this address."]
      : [
          `Para escolher a sua senha e entrar, abra este link nos próximos 7 dias:\n${link}\n\nDepois disso, peça outro onde se entra, em "esqueci a senha".`,
          `To choose your password and sign in, open the link above within 7 days. After that, ask for another one where you sign in, as for a forgotten password.`,
        ];
  return {
    to,
    subject: "Você tem uma conta / You have an account",
    text: `Uma conta foi criada para você em ${appUrl}, com este endereço.

${inPortuguese}

Se você não a esperava, ignore esta mensagem.

---

An account has been made for you at ${appUrl}, with this address.

${inEnglish}

If you did not expect it, ignore this message.`,
  };
}

/** To the holder of an account that an administrator has suspended. */
export function suspendedMail(to: string, appUrl: string): Notice {
  return {
    kind: "account_suspended",
    to,
    subject: "Sua conta está suspensa / Your account is suspended",
    text: `Sua conta em ${appUrl} foi suspensa: chaves e sessões são recusadas, os números estão desconectados e nada é entregue aos webhooks. Nada foi apagado: quando a suspensão terminar, os números voltam sem novo pareamento, e o que chegou enquanto isso é entregue.

Fale com quem opera o serviço.

---

Your account at ${appUrl} has been suspended: keys and sessions are refused, numbers are disconnected, and webhooks get nothing. Nothing is deleted: when the suspension ends, the numbers come back without a new pairing, and what arrived meanwhile is delivered.

Ask whoever operates the service.`,
  };
}

/** To the holder of an account that is going to be deleted. `removalAt` in Unix ms. */
export function deletionMail(to: string, appUrl: string, removalAt: number): Notice {
  const day = new Date(removalAt).toISOString().slice(0, 10);
  return {
    kind: "account_deletion",
    to,
    subject: "Sua conta será excluída / Your account will be deleted",
    text: `Sua conta em ${appUrl} foi encerrada. Em ${day} ela será excluída com tudo o que guarda: números, mensagens, arquivos, chaves e webhooks. Até lá, quem opera o serviço pode reativá-la.

---

Your account at ${appUrl} has been closed. On ${day} it will be deleted with everything it holds: numbers, messages, files, keys and webhooks. Until then whoever operates the service can activate it again.`,
  };
}

/** To the holder of an account whose suspension or deletion has been taken back. */
export function activatedMail(to: string, appUrl: string): Notice {
  return {
    kind: "account_activated",
    to,
    subject: "Sua conta está ativa / Your account is active",
    text: `Sua conta em ${appUrl} está ativa de novo. Os números que estavam conectados voltam sozinhos.

---

Your account at ${appUrl} is active again. Numbers that were connected come back by themselves.`,
  };
}

/** To the holder of an account, who forgot the password or signed up once more. */
export function resetMail(to: string, appUrl: string, link: string): Mail {
  return {
    to,
    subject: "Escolher uma nova senha / Choose a new password",
    text: `Alguém, talvez você, quis entrar ou criar uma conta em ${appUrl} com este endereço, que já tem uma conta.

Para escolher uma nova senha, abra este link na próxima hora:
${link}

Se não foi você, não faça nada: a sua senha continua valendo.

---

Somebody, perhaps you, wanted to sign in or sign up at ${appUrl} with this address, which has an account already.

To choose a new password, open the link above within the hour.

If it was not you, do nothing: your password stays as it is.`,
  };
}

/** After the holder's password has been replaced. */
export function passwordChangedMail(to: string, appUrl: string): Notice {
  return {
    kind: "password_changed",
    to,
    subject: "Sua senha foi alterada / Your password was changed",
    text: `A senha da sua conta em ${appUrl} acaba de ser alterada, e as outras sessões foram encerradas.

Se não foi você, peça agora uma nova senha em ${appUrl} e confira quem lê este e-mail.

---

The password of your account at ${appUrl} has just been changed, and other sessions have ended.

If it was not you, ask for a new password at ${appUrl} now, and check who reads this mailbox.`,
  };
}
