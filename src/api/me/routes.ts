import { invalidField } from "@gateway/domain/failures/field-problems.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { fail, type Outcome } from "@gateway/protocol/failures.ts";
import { decodeJwt } from "jose";
import { retryAfterSeconds } from "@gateway/domain/admission/sliding-window.ts";
import { MINUTE_MS } from "@gateway/protocol/units.ts";
import { type AccountRow, type Family, route } from "../route.ts";
import { accountExportRoutes } from "../export/routes.ts";
import { renderUser, User } from "./view.ts";
import { keyRoutes } from "../keys/routes.ts";
import { documented, says } from "#root/src/http/openapi/documentation.ts";
import { accountGuardStub } from "#root/src/services/accounts/guard.ts";
import type { AppContext } from "#root/src/http/app-env.ts";
import { identityProvider } from "#root/src/services/identity/provider.ts";
import { findUser } from "#root/src/services/users/user-table.ts";
import { message } from "../account/fields.ts";
import type { AccountContext } from "../context.ts";

/** How recently a user without a local password must have signed in. */
const FRESH_MS = 5 * MINUTE_MS;
const SENTENCE = "The account is deleted. Its data is being removed. You will get an email when this is done.";

/** `none` means that the user has no password here, because an external issuer signs them in. */
async function checkPassword(c: AppContext, userId: string, password: string): Promise<"right" | "wrong" | "none"> {
  const { internalAdapter, password: passwords } = await (await identityProvider(c.env)).$context;
  const accounts = await internalAdapter.findAccounts(userId);
  const hash = accounts.find(({ providerId }) => providerId === "credential")?.password;
  if (typeof hash !== "string") return "none";
  return (await passwords.verify({ hash, password })) ? "right" : "wrong";
}

const confirmation = z.strictObject({
  email: z
    .string()
    .max(254)
    .openapi({
      ...says({ en: "The address of the account, as a confirmation", pt: "O e-mail da conta, como confirmação" }),
      example: "you@example.com",
    }),
  password: z
    .string()
    .max(128)
    .optional()
    .openapi(says({ en: "Required if the account has a password", pt: "Obrigatória se a conta tem senha" })),
});

const removalRoute = route({
  name: "deleteAccount",
  effect: "destructive",
  method: "post",
  path: "/me/delete",
  scope: "manage",
  bearerOnly: true,
  status: 202,
  summary: documented({
    en: "Deletes the account and everything in it, at once and permanently",
    pt: "Apaga a conta e tudo o que há nela, na hora e para sempre",
  }),
  description: documented({
    en:
      "From the answer on no key and no token works, the numbers are logged out, webhooks get nothing more and links to files answer 404. " +
      "Messages, contacts and files are removed after that, without a way back: export first what you want to keep. " +
      "Asks for the password; where another identity provider signs in, for a token of a sign-in no older than five minutes. The last active administrator stays: make another one first.",
    pt: "A partir da resposta nenhuma chave ou token funciona, os números são desconectados, os webhooks não recebem mais nada e os links de arquivos respondem 404. Mensagens, contatos e arquivos são removidos em seguida, sem volta: exporte antes o que quiser guardar. Pede a senha; onde outro provedor de identidade faz o login, um token de um login de no máximo cinco minutos. O último administrador ativo permanece: nomeie outro antes.",
  }),
  failures: ["bearer_required", "last_administrator"],
  example: { body: { email: "you@example.com", password: "correct horse battery" } },
  body: confirmation,
  run: (context, { body }) => removeAccount(context, body),
  response: message.openapi({ example: { message: SENTENCE } }),
  render: () => ({ message: SENTENCE }),
});

async function removeAccount(context: AccountContext, { email, password }: z.output<typeof confirmation>): Promise<Outcome<object>> {
  const { c } = context;
  const guard = accountGuardStub(c.env, context.user.id);
  const user = await findUser(c.env.DB, context.user.id);
  if (user === null) return fail("unauthorized");
  if (email.trim().toLowerCase() !== user.email) return invalidField("email", "other_address");
  const waitMs = await guard.countConfirmation();
  if (waitMs !== null) return fail("too_many_attempts", { retryAfter: retryAfterSeconds(waitMs) });
  const checked = await checkPassword(c, user.id, password ?? "");
  if (checked === "wrong") return fail("forbidden", { details: { reason: "wrong_password" } });
  if (checked === "none" && !isFresh(context)) return fail("forbidden", { details: { reason: "sign_in_again" } });
  const isRemoved = await guard.remove({ userId: user.id, email: user.email });
  return isRemoved ? { ok: true, value: {} } : fail("last_administrator");
}

/** The token is already verified. Without `auth_time` (the time of the sign-in), the token's age is used. */
function isFresh({ c, now }: AccountContext): boolean {
  const token = /^Bearer (\S+)$/i.exec(c.req.header("authorization")?.trim() ?? "")?.[1];
  if (token === undefined) return false;
  const { auth_time: signedInAt, iat } = decodeJwt(token);
  const at = typeof signedInAt === "number" ? signedInAt : (iat ?? 0);
  return now - at * 1000 <= FRESH_MS;
}

const accountRoutes = [
  route({
    name: "getAccount",
    effect: "read",
    method: "get",
    path: "/me",
    scope: null,
    summary: documented({ en: "The account of this key or token", pt: "A conta desta chave ou deste token" }),
    run: async (context): Promise<Outcome<z.input<typeof User>>> => {
      const account = await renderUser(context);
      return account === null ? fail("unauthorized") : { ok: true, value: account };
    },
    response: z.object({ data: User }),
    render: (data) => ({ data }),
  }),
];

export const account: Family<AccountRow> = {
  name: "account",
  title: documented({ en: "Account", pt: "Conta" }),
  description: documented({ en: "Your account and its keys.", pt: "A sua conta e as chaves dela." }),
  routes: [...accountRoutes, ...accountExportRoutes, removalRoute, ...keyRoutes],
};
