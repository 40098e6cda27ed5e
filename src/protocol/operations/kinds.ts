// Capabilities of each kind of number (docs/use/apis.md, "Two kinds of numbers"). Every row of the operation table names its kinds.
import * as z from "zod";

/** `session`: a linked device of a phone. `cloud_api`: a number on Meta's Cloud API. */
export const Kind = z.enum(["session", "cloud_api"]);
export type Kind = z.infer<typeof Kind>;

export const BOTH_KINDS: readonly Kind[] = ["session", "cloud_api"];
export const SESSION_ONLY: readonly Kind[] = ["session"];
export const CLOUD_ONLY: readonly Kind[] = ["cloud_api"];

/** A field of only some kinds: `isUsed` on another fails with `not_supported`, or `code`. `partly`: other values work. */
type FieldRule = { kinds: readonly Kind[]; isUsed: (value: unknown) => boolean; partly?: true; code?: "limit_of_kind" };

export type FieldRules = Readonly<Record<string, FieldRule>>;

export function isSet(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== false && value !== 0 && value !== "";
}
