// Most routes of the dashboard are one operation of the connection's object: rows of data, as on the other surfaces.
import { z } from "zod";
import type { OperationInput, OperationName, OperationOutput } from "../protocol/operations.ts";

type Method = "get" | "post" | "put" | "delete";
export type Rendered = { status?: 200 | 201; body: Record<string, unknown> };

type RouteSpec<N extends OperationName, B extends z.ZodType> = {
  method: Method;
  /** After `/connections/{id}`. */
  path: string;
  operation: N;
  body?: B;
  input: (parsed: { params: Record<string, string>; body: z.output<B> }) => OperationInput<N>;
  render: (output: OperationOutput<N>) => Rendered;
};

export type DashboardRoute = {
  method: Method;
  path: string;
  operation: OperationName;
  body: z.ZodType;
  input: (parsed: { params: Record<string, string>; body: unknown }) => unknown;
  render: (output: unknown) => Rendered;
};

/** A row's types are checked against its operation here, then erased. */
export function route<N extends OperationName, B extends z.ZodType = z.ZodUnknown>(spec: RouteSpec<N, B>): DashboardRoute {
  return {
    method: spec.method,
    path: spec.path,
    operation: spec.operation,
    body: spec.body ?? z.unknown(),
    // The surface hands over what this very schema has parsed, and the output of this very operation.
    input: spec.input as DashboardRoute["input"],
    render: spec.render as DashboardRoute["render"],
  };
}

/** Actions answer with a sentence, as on the Account API. */
export function message(text: string): () => Rendered {
  return () => ({ body: { message: text } });
}
