// The `webhooks` of an OpenAPI document: the requests that the gateway sends, one for each event.
import type { OpenAPIHono } from "@hono/zod-openapi";
import type { DocumentedSurface } from "./surface.ts";

type Registry = OpenAPIHono["openAPIRegistry"];

const DELIVERY_RULES = "May arrive twice and out of order: deduplicate on `id`.";

export function registerWebhooks(registry: Registry, { webhooks }: DocumentedSurface): void {
  for (const { type, summary, description, schema, example } of webhooks.events) {
    registry.registerWebhook({
      method: "post",
      path: type,
      operationId: `on${capitalised(type)}`,
      summary,
      description: description ?? DELIVERY_RULES,
      security: [],
      parameters: webhooks.headers.map((header) => ({ ...header, in: "header" as const, schema: { type: "string" as const } })),
      request: { body: { required: true, content: { "application/json": { schema, example } } } },
      responses: { "2XX": { description: webhooks.accepted }, default: { description: webhooks.failed } },
    });
  }
}

/** `label.chat.added` → `LabelChatAdded`: the name of the event's schema and operation. */
export function capitalised(type: string): string {
  return type
    .split(/[._]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
}
