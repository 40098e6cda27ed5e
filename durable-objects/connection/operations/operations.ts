// All operations of this object, and how one is run: JSON in, JSON out (style 3.2).
import type { Call } from "../../../src/protocol/connection.ts";
import type { Outcome } from "../../../src/protocol/failures.ts";
import { type OperationInput, type OperationName, OPERATIONS } from "../../../src/protocol/operations.ts";
import type { Parts } from "../parts.ts";
import { chatOperations } from "./chats.ts";
import type { Handler, Handlers } from "./handlers.ts";
import { instanceOperations } from "./instance.ts";
import { keyOperations } from "./keys.ts";
import { messageReadOperations } from "./messages.ts";
import { sendOperations } from "./send.ts";
import { webhookOperations } from "./webhook.ts";

export function operationsOf(parts: Parts): Handlers {
  const { admission, deliveries, identity, instance, outbox, session, stores } = parts;
  return {
    ...instanceOperations({ identity, instance, session, lastInboundAt: () => stores.messageReads.lastReceivedAt() }),
    ...sendOperations({ outbox, messages: stores.messages, chats: stores.chats, restriction: () => instance.state.restriction, newMessageId }),
    ...messageReadOperations(stores),
    ...chatOperations(stores),
    ...keyOperations(admission.keys, () => Date.now(), () => crypto.randomUUID()),
    ...webhookOperations(deliveries),
  };
}

/** Runs the operation that the call names; admission has checked that there is one. `now` in Unix ms. */
export async function runOperation(handlers: Handlers, call: Call, messageId: string | null, now: number): Promise<Outcome<string>> {
  // Admission answered 404 for every other name.
  return carryOut(handlers, call.operation as OperationName, call, messageId, now);
}

async function carryOut<N extends OperationName>(handlers: Handlers, name: N, call: Call, messageId: string | null, now: number): Promise<Outcome<string>> {
  const input = OPERATIONS[name].input.safeParse(JSON.parse(call.input));
  if (!input.success) {
    const issues = input.error.issues.map(({ path, message }) => ({ field: path.join("."), issue: message }));
    return { ok: false, failure: { code: "validation_error", issues } };
  }
  const handle: Handler<N> = handlers[name];
  // The schema of this very operation has just accepted it.
  const outcome = await handle(input.data as OperationInput<N>, { call, messageId, now });
  return outcome.ok ? { ok: true, value: JSON.stringify(outcome.value) } : outcome;
}

/** As the network's own web client makes them. */
function newMessageId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(9));
  return `3EB0${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("").toUpperCase()}`;
}
