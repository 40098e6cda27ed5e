import { scopesOfKey, SCOPES } from "@gateway/domain/keys/scopes.ts";
import { isAddressBlock } from "@gateway/domain/keys/allowed-ips.ts";
import { LIMITS } from "@gateway/domain/limits.ts";
import { problem } from "#root/src/http/problems.ts";
import { isoOfMs, isoOfMsOrNull } from "@gateway/domain/iso-times.ts";
import type { AccountKeyChange } from "#root/src/services/account-keys/change.ts";
import type { AccountKey } from "#root/src/services/account-keys/find.ts";
import type { CallingUser } from "#root/src/services/callers/identify.ts";
import { says } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { iso, isoTime, name, uuid } from "../account/fields.ts";

export const scopes = z.array(z.enum(SCOPES));

export const allowedIps = z
  .array(z.string().max(64).refine(isAddressBlock, problem("not_an_address_block")))
  .min(1)
  .max(LIMITS.allowedIps)
  .nullish()
  .openapi({
    ...says({
      en: "IPv4 and IPv6 addresses and CIDR blocks that the key works from; null: every address",
      pt: "Endereços IPv4 e IPv6 e blocos CIDR de onde a chave funciona; null: qualquer endereço",
    }),
    example: ["203.0.113.0/24", "2001:db8::/48"],
  });

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
  allowed_ips: allowedIps,
});

export const keyChanges = z
  .strictObject({ name: name.optional(), scopes: newKey.shape.scopes, allowed_ips: allowedIps })
  .refine((changes) => Object.values(changes).some((value) => value !== undefined), problem("empty_change"));

export function changesOf({ name: renamed, scopes: given, allowed_ips: allowed }: z.output<typeof keyChanges>): AccountKeyChange {
  return {
    ...(renamed === undefined ? {} : { name: renamed }),
    ...(given === undefined ? {} : { scopes: given }),
    ...(allowed === undefined ? {} : { allowedIps: allowed }),
  };
}

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
    allowed_ips: z.array(z.string()).nullable(),
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

/** The key's effective scopes, which never exceed the user's. */
export function renderKey(row: AccountKey, user: CallingUser): z.input<typeof ApiKey> {
  const { id, name, prefix } = row;
  return {
    id,
    name,
    prefix,
    scopes: [...scopesOfKey(row.scopes, user.role)],
    instance_ids: row.instanceIds,
    allowed_ips: row.allowedIps,
    expires_at: isoOfMsOrNull(row.expiresAt),
    created_at: isoOfMs(row.createdAt),
    last_used_at: isoOfMsOrNull(row.lastUsedAt),
  };
}
