// What the administration of users says, in Portuguese.
import type { Catalogue } from "#root/src/http/openapi/translate.ts";

export const adminUsersTexts: Catalogue = {
  "All users, newest first": "Todos os usuários, os mais novos primeiro",
  "Part of the name or of the e-mail address": "Parte do nome ou do e-mail",
  "One user": "Um usuário",
  "Changes a user's name or role": "Muda o nome ou o papel de um usuário",
  "A role binds at once, for keys too. Nobody changes their own role, so that one administrator always remains.":
    "O papel vale na hora, também para chaves. Ninguém muda o próprio papel, para que sempre reste um administrador.",
  "`admin` may do everything under `/admin`": "`admin` pode tudo em `/admin`",
  "To the hour; null before the first time": "Com precisão de uma hora; null antes da primeira vez",
  "Whether the address has been proven by its mailbox": "Se o e-mail foi comprovado por sua caixa postal",
  "When everything of the account is removed; null while it stays": "Quando tudo da conta será removido; null enquanto ela fica",
  "Creates a user, who is invited by mail": "Cria um usuário, que é convidado por e-mail",
  "The link in the mail sets the password and proves the address; it works for 7 days, and another one can be asked for where people sign in. When the mail cannot be sent, the answer is 503 and there is no such user.":
    "O link do e-mail define a senha e comprova o endereço; vale por 7 dias, e outro pode ser pedido onde se entra. Quando o e-mail não pode ser enviado, a resposta é 503 e o usuário não existe.",
  "Closes a user's account, and removes everything of it after 30 days":
    "Encerra a conta de um usuário e remove tudo dela depois de 30 dias",
  "It is suspended at once, and `activate` takes the deletion back within the 30 days (`removal_at`). Then everything goes: instances, messages, files, keys, webhooks. The user is told by mail, both times.":
    "Ela é suspensa na hora, e `activate` desfaz a exclusão dentro dos 30 dias (`removal_at`). Depois vai tudo: instâncias, mensagens, arquivos, chaves, webhooks. O usuário é avisado por e-mail, nas duas vezes.",
  "Suspends a user's account": "Suspende a conta de um usuário",
  "From the answer on its keys, tokens and sessions are refused with 403 `account_suspended`, its streams end, its numbers disconnect and nothing is delivered to its webhooks; of an account with more than 400 instances the others follow within seconds. Nothing is lost: see `activate`. The user is told by mail.":
    "A partir da resposta suas chaves, tokens e sessões são recusados com 403 `account_suspended`, seus fluxos terminam, seus números se desconectam e nada é entregue a seus webhooks; de uma conta com mais de 400 instâncias as outras seguem em segundos. Nada se perde: veja `activate`. O usuário é avisado por e-mail.",
  "Ends a suspension, or takes a deletion back": "Termina uma suspensão, ou desfaz uma exclusão",
  "Instances that were connected when it began connect again by themselves, without a new pairing; the others stay as they are. What people wrote meanwhile arrives then, and webhooks get what waited for them. The user is told by mail.":
    "As instâncias que estavam conectadas quando ela começou se conectam de novo sozinhas, sem novo pareamento; as outras ficam como estão. O que as pessoas escreveram enquanto isso chega então, e os webhooks recebem o que esperava por eles. O usuário é avisado por e-mail.",
  "Sets a user's subscription": "Define a assinatura de um usuário",
  "Binds at once: while it is neither `active` nor `trialing`, keys of connections are answered 402, and after 7 days the numbers disconnect, until it is again. Instances beyond `max_instances` stay; no new ones can be made.":
    "Vale na hora: enquanto não é `active` nem `trialing`, as chaves das conexões recebem 402, e depois de 7 dias os números se desconectam, até que volte a ser. Instâncias além de `max_instances` ficam; não se criam novas.",
  "Its name, as the deployment calls it": "O nome dela, como a instalação a chama",
  "How many instances the account may have": "Quantas instâncias a conta pode ter",
  "When it has to be paid again; null: never": "Quando precisa ser paga de novo; null: nunca",
};
