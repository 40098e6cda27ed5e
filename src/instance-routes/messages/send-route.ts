// A row of `POST /messages/{kind}`: all sends share their common fields, their operation and their answer.
import type { z } from "@hono/zod-openapi";
import type { RequestExample } from "../../http/openapi/surface.ts";
import type { RequestFiles } from "../../http/request-files.ts";
import type { FailureCode } from "../../protocol/failures.ts";
import type { OperationInput } from "../../protocol/operations.ts";
import { SEND_FAILURES } from "../failure-lists.ts";
import { route, type RouteRow } from "../route.ts";
import type { Views } from "../views.ts";
import { type CrossCheck, sendBody, type SendFields, sendInput } from "./send-schemas.ts";

/** Of every send, whatever it sends. */
const FAILURES = [
  ...SEND_FAILURES,
  "content_differs",
  "invalid_number",
  "group_not_found",
  "channel_not_found",
  "quoted_message_not_found",
  "limit_of_kind",
] as const;

/** A kind of content: its fields in a body, and how they become content. */
export type SendForm<S extends z.core.$ZodLooseShape> = {
  /** Fields beside the common ones. */
  body: S;
  content: (body: z.output<z.ZodObject<S>>, files: RequestFiles) => OperationInput<"messages.send">["content"];
};

type SendSpec<S extends z.core.$ZodLooseShape> = SendForm<S> & {
  path: string;
  /** As in `RouteSpec`. */
  name: string;
  summary: string;
  description?: string;
  /** Beside those of every send. */
  failures: readonly FailureCode[];
  example: RequestExample;
  /** As in `RouteSpec`. */
  kinds?: RouteRow["kinds"];
  check?: CrossCheck<S>;
  /** Common fields that mean something else here. */
  own?: Partial<OperationInput<"messages.send">>;
};

export function sendRoute<S extends z.core.$ZodLooseShape>({
  body: fields,
  content,
  check,
  failures,
  example,
  own = {},
  ...row
}: SendSpec<S>): (views: Views) => RouteRow {
  const parsed = sendBody(fields, check);
  return ({ sent }) =>
    route({
      ...row,
      failures: [...FAILURES, ...failures],
      example: { answer: { type: typeOf(row.path) }, ...example },
      method: "post",
      effect: "change",
      operation: "messages.send",
      body: parsed,
      // What `sendBody` has parsed holds the common fields and the given ones; the compiler cannot take the two apart again.
      input: ({ body, files }) => ({
        ...sendInput(body as unknown as SendFields),
        ...own,
        content: content(body as unknown as z.output<z.ZodObject<S>>, files),
      }),
      creates: true,
      ...sent,
    });
}

/** `/messages/group-invite` sends a `group_invite`. */
export function typeOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).replace("-", "_");
}

/** Checks a form's fields against its content. */
export function sendForm<S extends z.core.$ZodLooseShape>(form: SendForm<S>): SendForm<S> {
  return form;
}
