// All operations of this object, and how one is run: JSON in, JSON out (docs/architecture.md, "Commands, operations and events").
import type { ConnectionRecord } from "../../../src/protocol/connection.ts";
import { fail, type Outcome } from "../../../src/protocol/failures.ts";
import { type OperationName, type OperationRow, OPERATIONS } from "../../../src/protocol/operations.ts";
import type { Parts } from "../parts.ts";
import { callOperations } from "./calls.ts";
import { chatOperations } from "./chats.ts";
import { endpointOperations } from "./endpoints.ts";
import { groupOperations } from "./groups/groups.ts";
import type { OperationContext, Handler, Handlers } from "./handlers.ts";
import { healthOperations } from "./health.ts";
import { historyOperations } from "./history.ts";
import { instanceOperations } from "./instance.ts";
import { keyOperations } from "./keys.ts";
import { messageOperations } from "./messages/messages.ts";
import { peopleOperations } from "./people/people.ts";
import { presenceOperations } from "./presence.ts";
import { statusOperations } from "./statuses.ts";
import { webhookOperations } from "./webhook.ts";

export function operationsOf(parts: Parts): Handlers {
  const { admission, deliveries, identity, instance, network, outbox, pacing, session, stores } = parts;
  const now = (): number => Date.now();
  const messages = { network, outbox, pacing, stores, instance, keptMedia: parts.keptMedia, now, newMessageId };
  return {
    ...instanceOperations({
      identity,
      instance,
      session,
      lastInboundAt: () => stores.messageQueries.lastReceivedAt(),
      newChatQuota: () => stores.accountLimits.get()?.newChatQuota ?? null,
    }),
    ...messageOperations(messages),
    ...statusOperations(messages),
    ...healthOperations({ identity, instance, network, stores, now }),
    ...historyOperations({ network, stores, now }),
    ...chatOperations({ network, stores, now }),
    ...presenceOperations({ network, instance, stores, alwaysOnline: () => identity.record?.settings.always_online === true, now }),
    ...callOperations({ network, stores, now }),
    ...groupOperations({ network, stores, now: () => Date.now() }),
    ...peopleOperations({ network, stores, instance, now: () => Date.now() }),
    ...keyOperations(
      admission.keys,
      () => Date.now(),
      () => crypto.randomUUID(),
    ),
    ...webhookOperations(deliveries),
    ...endpointOperations(deliveries),
  };
}

/** Runs the operation that the call names; admission has checked that there is one. `kind`: of the number. */
export async function runOperation(
  handlers: Handlers,
  circumstances: OperationContext,
  kind: ConnectionRecord["kind"],
): Promise<Outcome<string>> {
  const { call, files } = circumstances;
  // Admission answered 404 for every other name.
  const name = call.operation as OperationName;
  const row: OperationRow = OPERATIONS[name];
  if (row.sessionOnly === true && kind !== "session") return fail("not_supported", { details: { kind } });
  const input = OPERATIONS[name].input.safeParse(JSON.parse(call.input));
  if (!input.success) {
    const issues = input.error.issues.map(({ path, message }) => ({ field: path.join("."), issue: message }));
    return fail("validation_error", { issues });
  }
  const complete = row.filesLast === true ? { ok: true as const, value: input.data } : await files.storeInto(input.data);
  if (!complete.ok) return complete;
  const handle: Handler<OperationName> = handlers[name];
  const outcome = await handle(complete.value, circumstances);
  return outcome.ok ? { ok: true, value: JSON.stringify(outcome.value) } : outcome;
}

/** As the network's own web client makes them. */
function newMessageId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(9));
  return `3EB0${[...bytes]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("")
    .toUpperCase()}`;
}
