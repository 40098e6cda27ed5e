// The keys of the account.
import { z } from "@hono/zod-openapi";
import { SCOPES } from "@gateway/domain/keys/scopes.ts";
import { iso, isoTime, name, uuid } from "../account/fields.ts";

export const scopes = z.array(z.enum(SCOPES));

export const newKey = z.strictObject({
  name,
  scopes: scopes
    .min(1)
    .nullish()
    .openapi({ description: "Absent: everything that the user may do, but for administration: `admin` has to be named" }),
  instance_ids: z.array(uuid).min(1).max(100).nullish().openapi({ description: "Absent: all instances of the account" }),
  expires_at: isoTime.nullish().openapi({ description: "Absent: it does not expire" }),
});

export const ApiKey = z
  .object({
    id: z.string(),
    name: z.string(),
    prefix: z.string().openapi({ description: "The first characters, for telling keys apart", example: "acc_Xy12Ab34" }),
    scopes,
    instance_ids: z.array(z.string()).nullable(),
    expires_at: iso.nullable(),
    created_at: iso,
    last_used_at: iso.nullable(),
  })
  .openapi("ApiKey");

export const CreatedApiKey = ApiKey.extend({
  key: z.string().nullable().openapi({ description: "Shown this once; null when a first answer is replayed" }),
}).openapi("CreatedApiKey");
