// What every row of the operation table declares, and fields that rows share.
import { z } from "zod";
import type { FieldRules, Kind } from "./kinds.ts";

/**
 * `role`: the least role that may do it. A connection key acts as an operator (docs/use/connection-api.md, "Authentication"). `kinds`: the kinds of
 * numbers that can do it; others fail `not_supported` before anything is stored or asked. `contents` and `fields`: which
 * kinds of content, and which fields, are not for all of them. `fieldRoles`: fields that, when set, need a higher role than the operation. `resumable`: asking again with the same message id after a crash continues the first try instead of making a second one; without it, an
 * interrupted change answers `send_outcome_unknown` to a repeated idempotency key. `filesLast`: it asks for the files of its input itself,
 * after its own checks; all others find them stored (`StoreFiles`). `asksNetwork`: a read that the network answers; a cached answer outlives
 * incoming messages. `shownOnce`: fields of the output that only the first answer holds; they are not stored, and null for a repeated
 * idempotency key. `needsSubscription`: also for callers of the account, only while it has an active subscription; connection keys always need
 * one. `byLink`: the holder of a pairing link may do it, while the link works or always. `asStored`: the object answers its own records in
 * exactly the form of `output`, which the surfaces render without checking them (`outputOf`).
 */
export type OperationRow = {
  input: z.ZodType;
  output: z.ZodType;
  role: Role;
  kinds: readonly Kind[];
  contents?: Readonly<Record<string, readonly Kind[]>>;
  fields?: FieldRules;
  fieldRoles?: Readonly<Record<string, Role>>;
  resumable?: true;
  filesLast?: true;
  asksNetwork?: true;
  shownOnce?: readonly string[];
  needsSubscription?: true;
  byLink?: "working" | "always";
  asStored?: true;
};

export type Role = "owner" | "operator" | "viewer";

export const nothing = z.object({});
export const page = { limit: z.number().int().min(1).max(200), cursor: z.string().max(512).nullable() };
export const nextCursor = z.string().nullable();
