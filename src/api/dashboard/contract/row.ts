// The shape of the dashboard's API: each row's name is its method and path, so that a caller needs no other table.
import type { z } from "zod";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
export type RouteName = `${Method} /${string}`;

/**
 * `response`: the body of a 2xx answer, or what is answered instead of JSON. `body` "file": the request is the file itself, with its
 * `Content-Type`, and its name in `?filename=`.
 */
export type ContractRow = {
  query?: z.ZodObject;
  body?: z.ZodType | "file";
  response: z.ZodType | "events" | "file";
};

/** Names in braces of a path: `{id}`, `{key_id}`. */
export type PathParameter<P extends string> = P extends `${string}{${infer K}}${infer Rest}` ? K | PathParameter<Rest> : never;
