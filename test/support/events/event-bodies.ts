// Checks in all tests that every body delivered to a customer's server is a documented event.
import type { z } from "zod";
import { ACCOUNT_EVENT_TYPES } from "#root/src/api/events/account/events.ts";
import { CONNECTION_EVENT_TYPES } from "#root/src/api/events/connection/events.ts";
import { accountEvent } from "./account-events.ts";
import { connectionEvent } from "./connection-events.ts";

/** By API and event type. Building a schema takes longer than checking a body with it. */
const schemas = new Map<string, z.ZodType>();

/** A delivered body's problem, or null. */
export function problemOfBody(body: string): string | null {
  const event = JSON.parse(body) as { type?: string; event?: string };
  const schema = schemaOf(event);
  if (schema === null) return `no documented event: ${body}`;
  const { error } = schema.safeParse(event);
  return error === undefined ? null : `${error.message}\nin ${body}`;
}

function schemaOf(event: { type?: string; event?: string }): z.ZodType | null {
  const connectionType = CONNECTION_EVENT_TYPES.find((type) => type === event.type);
  if (connectionType !== undefined) return built(`connection ${connectionType}`, () => connectionEvent(connectionType));
  const accountType = ACCOUNT_EVENT_TYPES.find((type) => type === event.event);
  return accountType === undefined ? null : built(`account ${accountType}`, () => accountEvent(accountType));
}

function built(name: string, build: () => z.ZodType): z.ZodType {
  const schema = schemas.get(name) ?? build();
  schemas.set(name, schema);
  return schema;
}
