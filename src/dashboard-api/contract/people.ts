// Who else may use a connection, and who did what with it.
import { z } from "zod";
import { done, list, one, time, timeOrNull } from "./common.ts";
import type { ContractRow } from "./row.ts";

const SharedRole = z.enum(["operator", "viewer"]);

/** `opened_at` null: whoever has the address has not opened the connection yet; nothing says whether anybody has it. */
const Share = z.strictObject({ id: z.string(), email: z.string(), role: SharedRole, created_at: time, opened_at: timeOrNull });

export const SHARE_CONTRACT = {
  "GET /connections/{id}/shares": { response: list(Share) },
  "POST /connections/{id}/shares": { body: z.strictObject({ email: z.email().max(254), role: SharedRole }), response: one(Share) },
  "PATCH /connections/{id}/shares/{share_id}": { body: z.strictObject({ role: SharedRole }), response: one(Share) },
  "DELETE /connections/{id}/shares/{share_id}": { response: done },
  /** The caller's own: a guest leaves. */
  "DELETE /connections/{id}/shares/mine": { response: done },
} as const satisfies Record<string, ContractRow>;
