// Which kinds of numbers can do what (docs/use/apis.md, "Instances of two kinds"). Every row of the operation table names its kinds.
import { z } from "zod";

/** `session`: a linked device of a phone. `cloud_api`: a number of the network's cloud. */
export const Kind = z.enum(["session", "cloud_api"]);
export type Kind = z.infer<typeof Kind>;

export const BOTH_KINDS: readonly Kind[] = ["session", "cloud_api"];
export const SESSION_ONLY: readonly Kind[] = ["session"];
export const CLOUD_ONLY: readonly Kind[] = ["cloud_api"];

/**
 * A field of an input that is not for every kind. `isUsed`: the value asks for something; it then fails on the other kinds before anything is
 * stored or asked, `not_supported` unless the rule says otherwise. `partly`: other values of it are for every kind.
 */
type FieldRule = { kinds: readonly Kind[]; isUsed: (value: unknown) => boolean; partly?: true; code?: "limit_of_kind" };

/** Fields by their names in the input. */
export type FieldRules = Readonly<Record<string, FieldRule>>;

/** Neither absent nor empty. */
export function isSet(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== false && value !== 0 && value !== "";
}
