import { invalidField } from "@gateway/domain/failures/field-problems.ts";
import { documented } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { createAccountKey } from "#root/src/services/account-keys/create.ts";
import { listAccountKeys } from "#root/src/services/account-keys/find.ts";
import { changeAccountKey } from "#root/src/services/account-keys/change.ts";
import { removeAccountKey } from "#root/src/services/account-keys/remove.ts";
import { areVisible } from "#root/src/services/connections/list.ts";
import { cursorCodec } from "@gateway/domain/cursor.ts";
import { cursorField } from "../account/style.ts";
import { renderKey, ApiKey, changesOf, CreatedApiKey, keyChanges, newKey } from "./view.ts";
import { route } from "../route.ts";
import { keyId, limitUpTo, nextCursor, messageResult } from "../account/fields.ts";
import { onlyInstances } from "../context.ts";
import { fail } from "@gateway/protocol/failures.ts";

const keyCursors = cursorCodec(z.object({ createdAt: z.number(), id: z.string() }));

export const keyRoutes = [
  route({
    name: "createApiKey",
    effect: "change",
    method: "post",
    path: "/api-keys",
    scope: "manage",
    bearerOnly: true,
    status: 201,
    noStore: true,
    summary: documented({
      en: "Creates a key; this is the only time you see its value",
      pt: "Cria uma chave; o valor só aparece nesta resposta",
    }),
    description: documented({
      en: "Requires a bearer token: a key cannot create keys. An account has at most 50 keys, not counting expired ones.",
      pt: "Exige um token de acesso: uma chave não pode criar outras. Uma conta tem no máximo 50 chaves, sem contar as expiradas.",
    }),
    failures: ["bearer_required", "instance_not_found", "key_limit"],
    example: { body: { name: "CI", scopes: ["read", "send"] } },
    body: newKey,
    run: async (context, { body }) => {
      const { c, user, now, oneTimeSecrets } = context;
      const scopes = body.scopes ?? null;
      const beyond = scopes?.find((scope) => !context.scopes.includes(scope));
      if (beyond !== undefined) return fail("forbidden", { details: { scope: beyond } });
      const instanceIds = body.instance_ids ?? null;
      if (instanceIds !== null && !(await areVisible(c.env.DB, user.id, instanceIds))) return fail("instance_not_found");
      const expiresAt = body.expires_at ?? null;
      if (expiresAt !== null && expiresAt <= now) {
        return invalidField("expires_at", "not_future");
      }
      const allowedIps = body.allowed_ips ?? null;
      const made = await createAccountKey(c.env, { userId: user.id, name: body.name, scopes, instanceIds, expiresAt, allowedIps }, now);
      if (!made.ok) return made;
      const { row, key } = made.value;
      oneTimeSecrets.set(row.id, key);
      return { ok: true, value: renderKey(row, user) };
    },
    response: z.object({ data: CreatedApiKey }),
    render: (key, { oneTimeSecrets }) => ({ data: { ...key, key: oneTimeSecrets.get(key.id) ?? null } }),
  }),
  route({
    name: "listApiKeys",
    effect: "read",
    method: "get",
    path: "/api-keys",
    scope: "manage",
    summary: documented({ en: "The account's keys, newest first", pt: "As chaves da conta, da mais recente à mais antiga" }),
    description: documented({
      en: "A key that is limited to some instances sees only keys within the same limit.",
      pt: "Uma chave restrita a algumas instâncias só vê chaves que não alcançam outras instâncias.",
    }),
    query: z.object({ limit: limitUpTo(200), cursor: cursorField(keyCursors) }),
    run: async (context, { query }) => {
      const { c, user } = context;
      const page = { after: query.cursor ?? null, limit: query.limit + 1, within: onlyInstances(context) };
      const rows = await listAccountKeys(c.env.DB, user.id, page);
      const shown = rows.slice(0, query.limit);
      const last = rows.length > query.limit ? shown.at(-1) : undefined;
      const next = last === undefined ? null : keyCursors.write({ createdAt: last.createdAt, id: last.id });
      return { ok: true, value: { data: shown.map((row) => renderKey(row, user)), next_cursor: next } };
    },
    response: z.object({ data: z.array(ApiKey), next_cursor: nextCursor }),
    render: (page) => page,
  }),
  route({
    name: "updateApiKey",
    effect: "change",
    method: "patch",
    path: "/api-keys/{keyId}",
    scope: "manage",
    bearerOnly: true,
    summary: documented({
      en: "Changes a key's name, permissions or addresses, at once and also for open streams",
      pt: "Muda o nome, as permissões ou os endereços de uma chave, na hora e também para fluxos abertos",
    }),
    description: documented({
      en: "Requires a bearer token: a key cannot change keys. From an address outside `allowed_ips`, a key gets the same 401 as an unknown key.",
      pt: "Exige um token de acesso: uma chave não pode mudar chaves. De um endereço fora de `allowed_ips`, a chave recebe o mesmo 401 de uma chave desconhecida.",
    }),
    failures: ["bearer_required", "key_not_found"],
    example: { body: { allowed_ips: ["203.0.113.0/24"] } },
    params: z.object({ keyId }),
    body: keyChanges,
    run: async (context, { params, body }) => {
      const { c, user } = context;
      const beyond = body.scopes?.find((scope) => !context.scopes.includes(scope));
      if (beyond !== undefined) return fail("forbidden", { details: { scope: beyond } });
      const changed = await changeAccountKey(c.env, user.id, params.keyId, changesOf(body));
      return changed === null ? fail("key_not_found") : { ok: true, value: renderKey(changed, user) };
    },
    response: z.object({ data: ApiKey }),
    render: (data) => ({ data }),
  }),
  route({
    name: "deleteApiKey",
    effect: "destructive",
    method: "delete",
    path: "/api-keys/{keyId}",
    scope: null,
    summary: documented({
      en: "Revokes a key, at once and permanently",
      pt: "Revoga uma chave, na hora e para sempre",
    }),
    description: documented({ en: "A key can always revoke itself.", pt: "Uma chave sempre pode revogar a si mesma." }),
    failures: ["key_not_found"],
    params: z.object({ keyId }),
    run: async (context, { params }) => {
      const { c, user, key, scopes } = context;
      const may = key?.id === params.keyId || (scopes.includes("manage") && onlyInstances(context) === null);
      if (!may) return fail("forbidden", { details: { scope: "manage" } });
      const gone = await removeAccountKey(c.env, user.id, params.keyId);
      return gone ? { ok: true, value: {} } : fail("key_not_found");
    },
    ...messageResult("The key is removed."),
  }),
];
