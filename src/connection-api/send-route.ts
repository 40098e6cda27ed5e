// A row of `POST /messages/{kind}`: all sends share their common fields, their operation and their answer.
import type { z } from "@hono/zod-openapi";
import type { RequestFiles } from "../http/request-files.ts";
import type { OperationInput } from "../protocol/operations.ts";
import { renderSent } from "./render/sent.ts";
import { type Route, route } from "./route.ts";
import { type CrossCheck, sendBody, type SendFields, sendInput, SendResult } from "./schemas/send.ts";

/** A kind of content, as a body says it. */
export type SendForm<S extends z.core.$ZodLooseShape> = {
  /** Fields beside the common ones. */
  body: S;
  content: (body: z.output<z.ZodObject<S>>, files: RequestFiles) => OperationInput<"messages.send">["content"];
};

type SendSpec<S extends z.core.$ZodLooseShape> = SendForm<S> & {
  path: string;
  summary: string;
  /** As in `RouteSpec`. */
  kinds?: Route["kinds"];
  check?: CrossCheck<S>;
  /** Common fields that mean something else here. */
  own?: Partial<OperationInput<"messages.send">>;
};

export function sendRoute<S extends z.core.$ZodLooseShape>({
  path,
  summary,
  body: fields,
  content,
  kinds,
  check,
  own = {},
}: SendSpec<S>): Route {
  return route({
    method: "post",
    path,
    operation: "messages.send",
    tag: "messages",
    summary,
    ...(kinds === undefined ? {} : { kinds }),
    body: sendBody(fields, check),
    // What `sendBody` has parsed holds the common fields and the given ones; the compiler cannot take the two apart again.
    input: ({ body, files }) => ({
      ...sendInput(body as unknown as SendFields),
      ...own,
      content: content(body as unknown as z.output<z.ZodObject<S>>, files),
    }),
    response: SendResult,
    render: renderSent,
  });
}

/** A form by itself: its fields and its content checked against each other. */
export function sendForm<S extends z.core.$ZodLooseShape>(form: SendForm<S>): SendForm<S> {
  return form;
}
