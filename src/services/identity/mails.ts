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
