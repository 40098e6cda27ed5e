import { scopesOfKey, SCOPES } from "@gateway/domain/keys/scopes.ts";
import { isoOfMs, isoOfMsOrNull } from "../../http/times.ts";
import type { AccountKey } from "../../services/account-keys/create.ts";
import type { CallingUser } from "../../services/callers/identify.ts";
import { says } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { iso, isoTime, name, uuid } from "../account/fields.ts";

export const scopes = z.array(z.enum(SCOPES));

export const newKey = z.strictObject({
  name,
  scopes: scopes
    .min(1)
    .nullish()
    .openapi(
      says({
        en: "Absent: all permissions of the user except `admin`, which you must name",
        pt: "Ausente: todas as permissões do usuário, menos `admin`, que você precisa indicar",
      }),
    ),
  instance_ids: z
    .array(uuid)
    .min(1)
    .max(100)
    .nullish()
    .openapi(says({ en: "Absent: all instances of the account", pt: "Ausente: todas as instâncias da conta" })),
  expires_at: isoTime.nullish().openapi(says({ en: "Absent: it does not expire", pt: "Ausente: não expira" })),
});

export const ApiKey = z
  .object({
    id: z.string(),
    name: z.string(),
    prefix: z.string().openapi({
      ...says({ en: "The first characters, to tell keys apart", pt: "Os primeiros caracteres, para distinguir as chaves" }),
      example: "acc_Xy12Ab34",
    }),
    scopes,
    instance_ids: z.array(z.string()).nullable(),
    expires_at: iso.nullable(),
    created_at: iso,
    last_used_at: iso.nullable(),
  })
  .openapi("ApiKey");

export const CreatedApiKey = ApiKey.extend({
  key: z
    .string()
    .nullable()
    .openapi(
      says({
        en: "Shown only this once; null in a replayed response",
        pt: "O valor só aparece desta vez; null em uma resposta repetida",
      }),
    ),
}).openapi("CreatedApiKey");

/** The key's effective scopes, which are never more than the user's. */
export function renderKey(row: AccountKey, user: CallingUser): z.input<typeof ApiKey> {
  const { id, name, prefix } = row;
  return {
    id,
    name,
    prefix,
    scopes: [...scopesOfKey(row.scopes, user.role)],
    instance_ids: row.instanceIds,
    expires_at: isoOfMsOrNull(row.expiresAt),
    created_at: isoOfMs(row.createdAt),
    last_used_at: isoOfMsOrNull(row.lastUsedAt),
  };
}
