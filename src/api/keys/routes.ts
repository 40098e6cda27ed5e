import { z } from "@hono/zod-openapi";
import { createAccountKey } from "../../services/account-keys/create.ts";
import { listAccountKeys } from "../../services/account-keys/find.ts";
import { removeAccountKey } from "../../services/account-keys/remove.ts";
import { areVisible } from "../../services/connections/list.ts";
import { cursorCodec } from "@gateway/domain/cursor.ts";
import { cursorField } from "../account/cursors.ts";
import { renderKey } from "./view.ts";
import { route } from "../route.ts";
import { keyId, limitUpTo, nextCursor, messageResult } from "../account/fields.ts";
import { ApiKey, CreatedApiKey, newKey } from "./schemas.ts";
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
    summary: { en: "Makes a key; its value is shown this once", pt: "Cria uma chave; o valor é mostrado só desta vez" },
    description: {
      en: "Only with a bearer token: a key makes no keys. An account has at most 50; expired ones make room.",
      pt: "Só com um token de acesso: uma chave não cria chaves. Uma conta tem no máximo 50; as vencidas dão lugar.",
    },
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
        return fail("validation_error", { issues: [{ field: "expires_at", issue: "must be in the future" }] });
      }
      const made = await createAccountKey(c.env, { userId: user.id, name: body.name, scopes, instanceIds, expiresAt }, now);
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
    summary: { en: "The account's keys, newest first", pt: "As chaves da conta, as mais novas primeiro" },
    description: {
      en: "A key that is restricted to some instances sees those that reach no further.",
      pt: "Uma chave restrita a algumas instâncias vê as que não vão além delas.",
    },
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
    name: "deleteApiKey",
    effect: "destructive",
    method: "delete",
    path: "/api-keys/{keyId}",
    scope: null,
    summary: {
      en: "Removes a key: it stops working at once and for ever",
      pt: "Remove uma chave: ela deixa de valer na hora e para sempre",
    },
    description: { en: "A key may always remove itself.", pt: "Uma chave sempre pode remover a si mesma." },
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
