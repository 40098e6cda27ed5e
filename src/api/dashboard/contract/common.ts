// Times are ISO 8601 in UTC.
import * as z from "zod";
import { hasAtMostCharacters } from "@gateway/domain/messages/characters.ts";
import { isAddressBlock } from "@gateway/domain/keys/allowed-ips.ts";
import { LIMITS } from "@gateway/domain/limits.ts";
import { nameUpTo } from "@gateway/domain/people/names-and-emails.ts";
import { FailureCode } from "@gateway/protocol/failures.ts";

export const time = z.iso.datetime();
export const timeOrNull = time.nullable();

export const name = nameUpTo(LIMITS.keyNameCharacters);

export const count = z.number().int();
export const paging = {
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().min(1).max(512).optional(),
};

export const allowedIps = z
  .array(
    z
      .string()
      .max(64)
      .refine(isAddressBlock, { params: { problem: "not_an_address_block" } }),
  )
  .min(1)
  .max(LIMITS.allowedIps)
  .nullish();

export const isChange = (changes: object) => Object.values(changes).some((value) => value !== undefined);
export const EMPTY_CHANGE = { params: { problem: "empty_change" } };

const MAX_REASON_CHARACTERS = 500;

export const givenReason = {
  reason: z
    .string()
    .trim()
    .min(1)
    .refine((text) => hasAtMostCharacters(text, MAX_REASON_CHARACTERS), { params: { problem: "too_long", most: MAX_REASON_CHARACTERS } }),
};

export const done = z.strictObject({ message: z.string() });

export const one = <T extends z.ZodType>(item: T) => z.strictObject({ data: item });
export const list = <T extends z.ZodType>(item: T) => z.strictObject({ data: z.array(item) });
export const page = <T extends z.ZodType>(item: T) => z.strictObject({ data: z.array(item), next_cursor: z.string().nullable() });

export const Refusal = z.strictObject({
  error: z.strictObject({
    code: FailureCode,
    message: z.string(),
    details: z
      .union([
        z.array(z.strictObject({ field: z.string(), issue: z.string() })),
        z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
      ])
      .optional(),
  }),
  request_id: z.string(),
});

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
export type RouteName = `${Method} /${string}`;

/** A `body` of "file" means that the request body is the file itself, described by `Content-Type` and `?filename=`. */
export type ContractRow = {
  query?: z.ZodObject;
  body?: z.ZodType | "file";
  response: z.ZodType | "events" | "file";
};

export type PathParameter<P extends string> = P extends `${string}{${infer K}}${infer Rest}` ? K | PathParameter<Rest> : never;
