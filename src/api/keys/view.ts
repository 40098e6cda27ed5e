import type { z } from "zod";
import { scopesOfKey } from "@gateway/domain/keys/scopes.ts";
import { isoOfMs, isoOfMsOrNull } from "../../http/times.ts";
import type { AccountKey } from "../../services/account-keys/create.ts";
import type { CallingUser } from "../../services/callers/identify.ts";
import type { ApiKey } from "./schemas.ts";

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
