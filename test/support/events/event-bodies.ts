// Checks in all tests that every body delivered to a customer's server is a documented event.
import { ACCOUNT_EVENT_TYPES } from "#root/src/api/events/account/events.ts";
import { CONNECTION_EVENT_TYPES } from "#root/src/api/events/connection/events.ts";
import { accountEvent } from "./account-events.ts";
import { connectionEvent } from "./connection-events.ts";

/** A delivered body's problem, or null. */
export function problemOfBody(body: string): string | null {
  const event = JSON.parse(body) as { type?: string; event?: string };
  const connectionType = CONNECTION_EVENT_TYPES.find((type) => type === event.type);
  const accountType = ACCOUNT_EVENT_TYPES.find((type) => type === event.event);
  const schema =
    connectionType !== undefined ? connectionEvent(connectionType) : accountType !== undefined ? accountEvent(accountType) : null;
  if (schema === null) return `no documented event: ${body}`;
  const { error } = schema.safeParse(event);
  return error === undefined ? null : `${error.message}\nin ${body}`;
}
