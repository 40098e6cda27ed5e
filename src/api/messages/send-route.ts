import type { z } from "zod";
import type { RequestExample } from "#root/src/http/openapi/surface.ts";
import type { RequestFiles } from "#root/src/http/request-files.ts";
import type { FailureCode } from "@gateway/protocol/failures.ts";
import type { OperationInput } from "@gateway/protocol/operations.ts";
import { REQUESTED_KINDS } from "@gateway/protocol/operations/messages.ts";
import { SEND_FAILURES } from "../failure-lists.ts";
import { route, type OperationRoute } from "../route.ts";
import type { Text } from "#root/src/http/openapi/text.ts";
import type { Views } from "../views.ts";
import { type CrossCheck, sendBody, type SendFields, sendInput } from "./send-schemas.ts";

/** Failures of a send whose content and time the caller chooses. */
export const CHOSEN_SEND_FAILURES = [
  ...SEND_FAILURES,
  "content_differs",
  "invalid_number",
  "channel_not_found",
  "quoted_message_not_found",
  "waiting_limit",
  "waiting_files_limit",
] as const;

type Content = OperationInput<"messages.send">["content"];
type ContentKind = Content["kind"];

/** The content fields of a send's body, and how to convert them to content. */
export type SendForm<S extends z.core.$ZodLooseShape, K extends ContentKind = ContentKind> = {
  kind: K;
  body: S;
  content: (body: z.output<z.ZodObject<S>>, files: RequestFiles) => Omit<Extract<Content, { kind: K }>, "kind">;
};

type SendSpec<S extends z.core.$ZodLooseShape, K extends ContentKind> = SendForm<S, K> & {
  path: string;
  name: string;
  summary: Text;
  description?: Text;
  failures: readonly FailureCode[];
  example: RequestExample;
  check?: CrossCheck<S>;
  /** Common fields that this send overrides, because their names mean something else in its body. */
  own?: Partial<OperationInput<"messages.send">>;
};

export function sendRoute<S extends z.core.$ZodLooseShape, K extends ContentKind>({
  kind,
  body: fields,
  content,
  check,
  failures,
  example,
  own = {},
  ...row
}: SendSpec<S, K>): (views: Views) => OperationRoute {
  const parsed = sendBody(fields, check);
  return ({ sent, waits }) =>
    route({
      ...row,
      failures: [...CHOSEN_SEND_FAILURES, "group_not_found", "limit_of_kind", ...failures],
      example: { response: { type: typeOf(row.path) }, ...example },
      method: "post",
      effect: "change",
      operation: "messages.send",
      kinds: REQUESTED_KINDS[kind],
      body: parsed,
      // The cast is needed because `sendBody` merges both parts, and TypeScript cannot separate them again.
      input: ({ body, files }) => ({
        ...sendInput(body as unknown as SendFields),
        ...own,
        content: contentOf({ kind, content }, body, files),
      }),
      status: 201,
      ...sent,
      ...waits,
    });
}

/** The content type that a path sends. For example, `/messages/group-invite` sends a `group_invite`. */
export function typeOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).replaceAll("-", "_");
}

export function sendForm<S extends z.core.$ZodLooseShape, K extends ContentKind>(form: SendForm<S, K>): SendForm<S, K> {
  return form;
}

export function contentOf<S extends z.core.$ZodLooseShape, K extends ContentKind>(
  { kind, content }: Pick<SendForm<S, K>, "kind" | "content">,
  body: unknown,
  files: RequestFiles,
): Content {
  // The cast is needed because the compiler cannot relate the kind to its fields.
  return { kind, ...content(body as z.output<z.ZodObject<S>>, files) } as unknown as Content;
}
