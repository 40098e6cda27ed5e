import type { z } from "zod";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
export type RouteName = `${Method} /${string}`;

/** `body` "file": the request is the file itself, with its `Content-Type` and `?filename=`. */
export type ContractRow = {
  query?: z.ZodObject;
  body?: z.ZodType | "file";
  response: z.ZodType | "events" | "file";
};

export type PathParameter<P extends string> = P extends `${string}{${infer K}}${infer Rest}` ? K | PathParameter<Rest> : never;
