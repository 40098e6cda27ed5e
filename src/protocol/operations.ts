// The Connection object's operations, with one row each and one file per family. Input and output are the same for both APIs.
import type { z } from "zod";
import { mustParse } from "./fast-parse.ts";
import { ASSISTANT_OPERATIONS } from "./operations/assistant.ts";
import { ACTION_OPERATIONS, REQUEST_OPERATIONS } from "./operations/history.ts";
import { CALL_OPERATIONS, CONTACT_OPERATIONS, PICTURE_OPERATIONS, PRESENCE_OPERATIONS, PROFILE_OPERATIONS } from "./operations/people.ts";
import { CHANNEL_OPERATIONS, STATUS_OPERATIONS } from "./operations/channels.ts";
import { CHAT_OPERATIONS, LABEL_OPERATIONS } from "./operations/chats.ts";
import { ENDPOINT_OPERATIONS, LISTENER_OPERATIONS, NOTIFICATION_OPERATIONS, WEBHOOK_OPERATIONS } from "./operations/webhooks.ts";
import { EXPORT_OPERATIONS, INSTANCE_OPERATIONS, KEY_OPERATIONS, PAIRING_OPERATIONS } from "./operations/instance.ts";
import { GROUP_OPERATIONS } from "./operations/groups.ts";
import { MESSAGE_OPERATIONS, UPLOAD_OPERATIONS } from "./operations/messages.ts";
import { REACHABILITY_OPERATIONS } from "./operations/reachability.ts";
import { WAITING_OPERATIONS } from "./operations/waiting.ts";
import type { FieldRules, ConnectionKind, OperationRow, Role } from "./operations/row.ts";

export type { FieldRules, ConnectionKind, OperationRow, Role };

export const OPERATIONS = {
  ...INSTANCE_OPERATIONS,
  ...PAIRING_OPERATIONS,
  ...EXPORT_OPERATIONS,
  ...MESSAGE_OPERATIONS,
  ...WAITING_OPERATIONS,
  ...CHAT_OPERATIONS,
  ...PRESENCE_OPERATIONS,
  ...CALL_OPERATIONS,
  ...GROUP_OPERATIONS,
  ...CONTACT_OPERATIONS,
  ...REACHABILITY_OPERATIONS,
  ...PICTURE_OPERATIONS,
  ...PROFILE_OPERATIONS,
  ...LABEL_OPERATIONS,
  ...CHANNEL_OPERATIONS,
  ...STATUS_OPERATIONS,
  ...KEY_OPERATIONS,
  ...ASSISTANT_OPERATIONS,
  ...REQUEST_OPERATIONS,
  ...ACTION_OPERATIONS,
  ...UPLOAD_OPERATIONS,
  ...WEBHOOK_OPERATIONS,
  ...ENDPOINT_OPERATIONS,
  ...LISTENER_OPERATIONS,
  ...NOTIFICATION_OPERATIONS,
} as const satisfies Record<string, OperationRow>;

export function needsSubscription(operation: OperationName): boolean {
  const row: OperationRow = OPERATIONS[operation];
  return row.needsSubscription === true;
}

export function kindsOf(operation: OperationName): readonly ConnectionKind[] {
  return OPERATIONS[operation].kinds;
}

export function fieldsOf(operation: OperationName): FieldRules {
  const row: OperationRow = OPERATIONS[operation];
  return row.fields ?? {};
}

/** The result of an RPC. It is validated unless the operation is `asStored`. */
export function outputOf<N extends OperationName>(operation: N, json: string): OperationOutput<N> {
  const { asStored, output }: OperationRow = OPERATIONS[operation];
  const value: unknown = JSON.parse(json);
  return (asStored === true ? value : mustParse(output, value)) as OperationOutput<N>;
}

export type OperationName = keyof typeof OPERATIONS;
export type OperationInput<N extends OperationName> = z.infer<(typeof OPERATIONS)[N]["input"]>;
export type OperationOutput<N extends OperationName> = z.infer<(typeof OPERATIONS)[N]["output"]>;
