import { kindRefusal } from "@gateway/domain/instance/kinds.ts";
import { fastParse } from "@gateway/protocol/fast-parse.ts";
import { fail, type Replayable, succeed } from "@gateway/protocol/failures.ts";
import { type ConnectionKind, type OperationName, type OperationRow, OPERATIONS } from "@gateway/protocol/operations.ts";
import { type ActionLog, actionLogOperations } from "./actions/action-log.ts";
import { keyOperations } from "./keys/api-keys.ts";
import { assistantOperations } from "./keys/assistant.ts";
import type { Admission } from "./admission/admission.ts";
import { type RequestLog, requestOperations } from "./requests/request-log.ts";
import type { Deliveries } from "./delivery/deliveries.ts";
import type { Uploads } from "./files/uploads.ts";
import { callOperations } from "./calls/handlers.ts";
import { chatOperations, historyOperations } from "./chats/handlers.ts";
import { endpointOperations } from "./delivery/account-endpoints.ts";
import { exportOperations } from "./instance/export.ts";
import { groupMemberOperations, groupSettingOperations } from "./groups/handlers.ts";
import { groupReadOperations } from "./groups/read-group.ts";
import type { OperationContext, Handler, Handlers } from "./handlers.ts";
import { type HealthDependencies, healthOperations } from "./instance/health.ts";
import { type InstanceDependencies, instanceOperations, profileOperations } from "./instance/handlers.ts";
import type { MessageDependencies } from "./messages/dependencies.ts";
import { messageChangeOperations, ownDeviceOperations, messageReadOperations } from "./messages/changes.ts";
import { messageSendOperations } from "./messages/send.ts";
import { channelOperations } from "./channels/handlers.ts";
import { pairingOperations } from "./pairing/pairing-links.ts";
import { contactOperations, pictureOperations } from "./contacts/handlers.ts";
import { labelOperations } from "./labels/handlers.ts";
import { type Notifications, notificationOperations } from "./notifications/notifications.ts";
import { presenceOperations } from "./presence/handlers.ts";
import { statusOperations } from "./statuses/handlers.ts";
import { type Listeners, listenerOperations } from "./streams/listeners.ts";
import { waitingOperations } from "./waiting/handlers.ts";
import { webhookOperations } from "./delivery/connection-webhook.ts";

export type OperationDependencies = MessageDependencies &
  HealthDependencies &
  InstanceDependencies & {
    admission: Admission;
    deliveries: Deliveries;
    requests: RequestLog;
    actionLog: ActionLog;
    uploads: Uploads;
    listeners: Listeners;
    notifications: Notifications;
  };

export function operationsOf(deps: OperationDependencies): Handlers {
  const { admission, deliveries, identity, instance, network, stores } = deps;
  const instances = instanceOperations(deps);
  return {
    ...instances,
    ...exportOperations({ stores, keys: admission.keys, deliveries, instance: deps.instance }, instances["instance.get"]),
    ...messageSendOperations(deps),
    ...waitingOperations(deps),
    ...messageReadOperations(deps),
    ...messageChangeOperations(deps),
    ...ownDeviceOperations(deps),
    ...statusOperations(deps),
    ...healthOperations(deps),
    ...historyOperations(network, stores),
    ...chatOperations(network, stores),
    ...presenceOperations(network, stores, instance, identity),
    ...callOperations(network, stores),
    ...groupReadOperations(network, stores),
    ...groupMemberOperations(network, stores),
    ...groupSettingOperations(network, stores),
    ...channelOperations(network, stores),
    ...contactOperations(deps),
    ...labelOperations(network, stores, instance),
    ...pictureOperations(network, stores),
    ...profileOperations(network, instance),
    ...keyOperations(admission.keys, () => deps.listeners.endAll()),
    ...assistantOperations(admission, stores, identity),
    ...requestOperations(deps.requests),
    ...pairingOperations(admission.pairingLinks, identity, instance),
    ...actionLogOperations(deps.actionLog),
    ...deps.uploads.operations,
    ...webhookOperations(deliveries.webhook),
    ...endpointOperations(deliveries.account),
    ...listenerOperations(deps.listeners),
    ...notificationOperations(deps.notifications),
  };
}

type Family = OperationName extends `${infer F}.${string}` ? F : never;

/** Families of operations that may read or change stored messages and chats, and operations that differ from their family. */
const SEES_MESSAGES: Readonly<Record<Family, boolean> & Partial<Record<OperationName, boolean>>> = {
  actions: false,
  assistant: false,
  calls: true,
  channels: true,
  chats: true,
  contacts: true,
  endpoints: false,
  groups: true,
  instance: false,
  "instance.export": true,
  keys: false,
  labels: true,
  listeners: false,
  messages: true,
  "messages.send": false,
  notifications: false,
  pairing: false,
  pictures: true,
  presence: false,
  profile: false,
  requests: false,
  statuses: true,
  uploads: false,
  waiting: true,
  webhook: false,
};

/** True if pending messages must be stored before this operation. */
export function seesMessages(operation: string | null): boolean {
  if (operation === null) return false;
  const family = operation.slice(0, operation.indexOf(".")) as Family;
  return SEES_MESSAGES[operation as OperationName] ?? SEES_MESSAGES[family];
}

export async function runOperation(handlers: Handlers, context: OperationContext, kind: ConnectionKind): Promise<Replayable<string>> {
  const { call, files } = context;
  const name = call.operation as OperationName;
  const row: OperationRow = OPERATIONS[name];
  if (!row.kinds.includes(kind)) return fail("not_supported", { details: { kind } });
  const input = fastParse(OPERATIONS[name].input, JSON.parse(call.input));
  if (!input.success) {
    const issues = input.error.issues.map(({ path, message }) => ({ field: path.join("."), issue: message }));
    return fail("validation_error", { issues });
  }
  const refused = kindRefusal(row, input.data, kind);
  if (refused !== null) return fail(refused);
  const complete = row.filesLast === true ? succeed(input.data) : await files.storeInto(input.data);
  if (!complete.ok) return complete;
  const handle: Handler<OperationName> = handlers[name];
  const outcome = await handle(complete.value, context);
  return outcome.ok ? { ...outcome, value: JSON.stringify(outcome.value) } : outcome;
}
