import * as z from "zod";

export type OperationRow = {
  input: z.ZodType;
  output: z.ZodType;
  /** The lowest role that may call the operation. A connection key acts as an operator (docs/use/connection-api.md, "Authentication"). */
  role: Role;
  /** The kinds of numbers that support it. For others it fails with `not_supported` before anything is stored or sent. */
  kinds: readonly ConnectionKind[];
  /** Content kinds that only some kinds of numbers support. */
  contents?: Readonly<Record<string, readonly ConnectionKind[]>>;
  /** Fields that only some kinds of numbers support. */
  fields?: FieldRules;
  /** Fields that need a higher role when set. */
  fieldRoles?: Readonly<Record<string, Role>>;
  /** A repeated call continues the first attempt after a crash. Without this, it returns `send_outcome_unknown`. */
  resumable?: true;
  /** The operation stores its files itself, after its own checks. For all others they are already stored (`StoreFiles`). */
  filesLast?: true;
  /** A read whose result comes from the network. Its cached result survives incoming messages. */
  asksNetwork?: true;
  /** Output fields that only the first result contains. They are not stored, and are null in a replay. */
  shownOnce?: readonly string[];
  /** The account needs an active subscription, whatever the credentials. For connection keys, every operation needs one. */
  needsSubscription?: true;
  /** The holder of a pairing link may call it, either while the link works or always. */
  byLink?: "working" | "always";
  /** The object's stored records match `output` exactly, so they are not validated again (`outputOf`). */
  asStored?: true;
};

export type Role = "owner" | "operator" | "viewer";

export const nothing = z.object({});
export const page = { limit: z.number().int().min(1).max(200), cursor: z.string().max(512).nullable() };
export const nextCursor = z.string().nullable();

// Capabilities of each kind of number (docs/use/apis.md, "Two kinds of numbers"). Every row of the operation table lists its kinds.

/** `session` is a linked device of a phone. `cloud_api` is a number on Meta's Cloud API. */
export const ConnectionKind = z.enum(["session", "cloud_api"]);
export type ConnectionKind = z.infer<typeof ConnectionKind>;

export const BOTH_KINDS: readonly ConnectionKind[] = ["session", "cloud_api"];
export const SESSION_ONLY: readonly ConnectionKind[] = ["session"];
export const CLOUD_ONLY: readonly ConnectionKind[] = ["cloud_api"];

/**
 * Kinds that are not listed reject the field with `code` (by default `not_supported`) if `isUsed(value)` is true. `partly` means that they
 * support the field's other values.
 */
type FieldRule = { kinds: readonly ConnectionKind[]; isUsed: (value: unknown) => boolean; partly?: true; code?: "limit_of_kind" };

export type FieldRules = Readonly<Record<string, FieldRule>>;

export function isSet(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== false && value !== 0 && value !== "";
}
