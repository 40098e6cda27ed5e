import type { OpenAPIHono } from "@hono/zod-openapi";
import type { DocumentedSurface } from "./surface.ts";
import type { Language, Text } from "./text.ts";

type Registry = OpenAPIHono["openAPIRegistry"];

const DELIVERY_RULES: Text = {
  en: "May arrive twice and out of order, so deduplicate by `id`.",
  pt: "Pode chegar duas vezes e fora de ordem, então descarte repetições pelo `id`.",
};

export function registerWebhooks(registry: Registry, { webhooks }: DocumentedSurface, language: Language): void {
  for (const { type, summary, schema, example } of webhooks.events) {
    registry.registerWebhook({
      method: "post",
      path: type,
      operationId: `on${capitalised(type)}`,
      summary: type,
      description: `${summary[language]} ${DELIVERY_RULES[language]}`,
      security: [],
      parameters: webhooks.headers.map(({ description, ...header }) => ({
        ...header,
        description: description[language],
        in: "header" as const,
        schema: { type: "string" as const },
      })),
      request: { body: { required: true, content: { "application/json": { schema, example } } } },
      responses: { "2XX": { description: webhooks.accepted[language] }, default: { description: webhooks.failed[language] } },
    });
  }
}

export function capitalised(type: string): string {
  return type
    .split(/[._]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
}
