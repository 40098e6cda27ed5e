// Times are ISO 8601 in UTC.
import * as z from "zod";
import { LIMITS } from "@gateway/domain/limits.ts";
import { nameUpTo } from "@gateway/domain/people/given-words.ts";
import { FailureCode } from "@gateway/protocol/failures.ts";

export const time = z.iso.datetime();
export const timeOrNull = time.nullable();

export const name = nameUpTo(LIMITS.keyNameCharacters);

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

/** `body` "file": the request is the file itself, with its `Content-Type` and `?filename=`. */
export type ContractRow = {
  query?: z.ZodObject;
  body?: z.ZodType | "file";
  response: z.ZodType | "events" | "file";
};

export type PathParameter<P extends string> = P extends `${string}{${infer K}}${infer Rest}` ? K | PathParameter<Rest> : never;
